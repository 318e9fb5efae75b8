import { rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchHit } from '../../contract/sessions.ts';
import { MessageSearch } from '../../server/sessions/search.ts';
import { MIGRATIONS, migrate } from '../../server/storage/migrations.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { NodeSqliteDialect } from '../../server/storage/sqlite-dialect.ts';
import type { Tables } from '../../server/storage/tables.ts';
import { parley as run } from '../cli/parley.ts';
import { until } from '../harness/parley.ts';
import { ASKING, ASYNC, CREATE, type DelegatingAgents, startDelegating, tag } from './delegating.ts';
import { ask } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
let asking: string;
let asked: string;
let thread: string;

beforeAll(async () => {
  ({ server, scripted } = await startDelegating({
    agents: [
      { agentId: 'boss', ...ASKING, displayName: 'The Boss' },
      { agentId: 'kid' },
      { agentId: 'orc', agentAllowlist: null, delegation: { tags: true } },
    ],
    agent: { toolAllowlist: [] },
  }));
  scripted.answers('kid', 'the giraffe is tall', 'late answer about okapis', 'painted in zebrastyle colours');
  const steps = [ask('kid', 'please measure the giraffe', CREATE), ask('kid', 'look for okapis', ASYNC)];
  const { sessionId, answers } = await scripted.asks('boss', steps, 'noted the okapis');
  asking = sessionId;
  asked = answers[0]!.sessionId;
  await until(
    () => server.session(asking),
    ({ lastSnippet }) => lastSnippet === 'noted the okapis',
  );
  scripted.answers('kid', 'painted it all');
  thread = (await scripted.begins('orc', `First ${tag('kid', 'paint the wall zebrastyle')}`, 'it is done')).id;
});
afterAll(() => server.close());

async function headings(sessionId: string): Promise<(string | undefined)[]> {
  const { body } = await server.ask('exportSession', { params: { sessionId }, query: { format: 'markdown' } });
  return Array.from(String(body).matchAll(/^## (.*?) · #/gm), ([, name]) => name);
}

async function search(q: string): Promise<SearchHit[]> {
  return (await server.call('search', { query: { q } })).hits;
}

describe('who said what', () => {
  it('is in a Markdown export: tasks are the asker’s, results the delegate’s', async () => {
    expect(await headings(asked)).toEqual(['The Boss \\(task\\)', 'kid']);
    expect(await headings(asking)).toEqual(['User', 'The Boss', 'kid \\(result\\)', 'The Boss']);
    expect(await headings(thread)).toEqual(['User', 'orc', 'orc \\(task for kid\\)', 'kid', 'orc']);
  });

  it('is in what a search finds, and filters go by it', async () => {
    const [task] = await search('"measure the giraffe"');
    expect(task).toMatchObject({ role: 'user', agent: 'boss', speaker: { kind: 'task', agent: 'boss', to: null } });
    const [result] = await search(`session:${asking} "late answer"`);
    expect(result).toMatchObject({ agent: 'kid', speaker: { kind: 'result', agent: 'kid' } });
    const [given] = await search('zebrastyle wall');
    expect(given).toMatchObject({ agent: 'orc', speaker: { kind: 'task', agent: 'orc', to: 'kid' } });
    expect(await search('agent:orc zebrastyle')).toHaveLength(1);
    expect(await search('from:orc zebrastyle')).toHaveLength(1);
    expect(await search('agent:kid zebrastyle')).toEqual([]);
    expect(await search('from:user giraffe')).toEqual([]);
    expect(await search('from:boss giraffe')).toHaveLength(1);
  });

  it('is in the list of sessions, beside the words it shows', async () => {
    expect(await server.session(asked)).toMatchObject({ lastSpeaker: { kind: 'agent', agent: 'kid' } });
    expect(await server.session(asking)).toMatchObject({ lastSpeaker: { kind: 'agent', agent: 'boss' } });
    const guest = await server.open('kid');
    await server.say(guest, { content: 'Three questions?', guest: 'orc' });
    expect(await server.session(guest)).toMatchObject({ agentId: 'kid', lastSpeaker: { kind: 'agent', agent: 'orc' } });
    const held = await server.create({ agentId: 'kid' });
    expect(held.lastSpeaker).toBeNull();
  });

  it('is on the command line, in a session and in what is found', async () => {
    const cli = async (...args: string[]) => (await run(server.parley.home, args)).stdout;
    const shown = await cli('sessions', 'show', thread);
    expect(shown).toContain('orc: → Delegating to kid — paint the wall zebrastyle');
    expect(await cli('sessions', 'show', asked)).toContain('boss (task): please measure the giraffe');
    expect(await cli('search', 'zebrastyle')).toContain('orc (task for kid): paint the wall');
    expect(await cli('search', 'giraffe', 'measure')).toContain('boss (task): please measure');
    expect(await cli('search', 'okapis', 'late')).toContain('kid (result): late answer');
  });

  it('stays so for an imported agent with the name of the person, who is told apart everywhere', async () => {
    const { id } = await server.call('importSession', {
      body: {
        messages: [
          { role: 'user', content: 'who are you' },
          { role: 'assistant', agent: 'User', content: 'I am the walrus' },
        ],
      },
    });
    expect(await headings(id)).toEqual(['User', 'agent \\"User\\"']);
    expect(await search('from:user walrus')).toEqual([]);
    expect(await search('agent:user walrus')).toHaveLength(1);
    expect((await run(server.parley.home, ['search', 'walrus'])).stdout).toContain('agent "User": I am the walrus');
  });
});

describe('a database from before', () => {
  it('finds tasks by the agent that gave them, and Chinese words, after the migration', async () => {
    const file = path.join(server.parley.home, 'old.db');
    const raw = new DatabaseSync(file);
    const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(raw) });
    await migrate(
      db,
      MIGRATIONS.slice(
        0,
        MIGRATIONS.findIndex(({ name }) => name.startsWith('speakers of tasks')),
      ),
    );
    raw.exec(`INSERT INTO sessions (id, owner, type, status, sender, head_id, created_at, updated_at, last_activity_at)
      VALUES ('S1', 'ada', 'conversation', 'active', 'user', 'm1', 1, 1, 1)`);
    const part = JSON.stringify([{ type: 'delegation', from: 'Orc', to: 'kid', task: 'x' }]);
    const add = (rid: number, role: string, agent: string | null, text: string, parts: string | null, tags: string) => {
      raw
        .prepare(`INSERT INTO messages (rid, id, session_id, seq, role, agent_id, status, text, parts, created_at)
          VALUES (?, ?, 'S1', ?, ?, ?, 'complete', ?, ?, 1)`)
        .run(rid, `m${rid}`, rid, role, agent, text, parts);
      raw.prepare('INSERT INTO messages_fts (rowid, text, tags) VALUES (?, ?, ?)').run(rid, text, tags);
    };
    const hex = (value: string) => Buffer.from(value).toString('hex');
    add(
      1,
      'delegation',
      'kid',
      'paint zebrastyle',
      part,
      `sessionx${hex('s1')} fromx${hex('kid')} agentx${hex('kid')}`,
    );
    add(2, 'user', null, '我们明天去北京开会', null, `sessionx${hex('s1')} fromx${hex('user')}`);
    add(3, 'assistant', 'kid', 'plain words', null, `sessionx${hex('s1')} fromx${hex('kid')} agentx${hex('kid')}`);
    raw.close();
    (await openSqlite(file, { synchronous: 'normal' })).close();
    const found = new MessageSearch(file);
    const texts = async (q: string) =>
      (await found.search('ada', { q, limit: 9 })).hits.map(({ messageId }) => messageId);
    expect(await texts('agent:orc zebrastyle')).toEqual(['m1']);
    expect(await texts('agent:kid zebrastyle')).toEqual([]);
    expect(await texts('北京 from:user session:S1')).toEqual(['m2']);
    expect(await texts('agent:kid')).toEqual(['m3']);
    const read = new DatabaseSync(file);
    expect(JSON.parse(String(read.prepare('SELECT snippet_speaker FROM sessions').get()!.snippet_speaker))).toEqual({
      kind: 'task',
      agent: 'Orc',
      to: 'kid',
    });
    read.close();
    await found.close();
    rmSync(file);
  });
});
