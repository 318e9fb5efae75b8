import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CreateSession } from '../../contract/sessions.ts';
import type { NewSessionTemplate, SessionTemplate } from '../../contract/templates.ts';
import { MIGRATIONS, migrate } from '../../server/storage/migrations.ts';
import { NodeSqliteDialect } from '../../server/storage/sqlite-dialect.ts';
import type { Tables } from '../../server/storage/tables.ts';
import { watch } from './following.ts';
import { reconfigure } from './reconfigure.ts';
import { TestServer } from './test-server.ts';

const LIMIT = 5;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ config: { limits: { templatesPerUser: LIMIT } } });
});
afterEach(async () => {
  for (const { id } of await list()) await server.call('deleteSessionTemplate', { params: { templateId: id } });
});
afterAll(() => server.close());

const STANDUP = {
  name: 'Standup',
  agentId: 'wisp/eve',
  title: 'What is up',
  folder: 'Mornings',
  mode: 'read-only',
  opening: 'Yesterday I\n\nToday I ',
  sendsOpening: true,
} as const;

const make = (wanted: NewSessionTemplate) => server.call('createSessionTemplate', { body: wanted });
const list = async () => (await server.call('listSessionTemplates')).templates;
const names = async () => (await list()).map(({ name }) => name);
const patch = ({ id }: SessionTemplate, body: object) =>
  server.call('patchSessionTemplate', { params: { templateId: id }, body });
const begin = ({ id }: SessionTemplate, given: CreateSession = {}) => server.create({ templateId: id, ...given });

describe('a template', () => {
  it('holds what a session begins with, and is listed by name', async () => {
    const made = await make(STANDUP);
    expect(made).toMatchObject(STANDUP);
    expect(made.updatedAt).toBe(made.createdAt);
    await make({ name: 'archive day' });
    await make({ name: 'Éclair tasting' });
    expect(await names()).toEqual(['archive day', 'Éclair tasting', 'Standup']);
    expect((await list())[2]).toEqual(made);
  });

  it('needs a name and nothing else', async () => {
    expect(await make({ name: '  Anything  ' })).toMatchObject({
      name: 'Anything',
      agentId: null,
      title: null,
      folder: null,
      mode: 'full',
      opening: '',
      sendsOpening: false,
    });
  });

  it('is changed field by field; null clears', async () => {
    const made = await make(STANDUP);
    const renamed = await patch(made, { name: 'Daily' });
    expect(renamed).toEqual({ ...made, name: 'Daily', updatedAt: renamed.updatedAt });
    const bare = await patch(made, { agentId: null, title: null, folder: null, mode: 'full', opening: '' });
    expect(bare).toMatchObject({ name: 'Daily', agentId: null, title: null, folder: null, mode: 'full', opening: '' });
    expect(await patch(made, {})).toMatchObject({ name: 'Daily', sendsOpening: true });
    expect(await list()).toHaveLength(1);
  });

  it('is gone once it is deleted, and its name is free again', async () => {
    const made = await make(STANDUP);
    const params = { templateId: made.id };
    await server.call('deleteSessionTemplate', { params });
    expect(await list()).toEqual([]);
    await server.refused('session_template_not_found', 'deleteSessionTemplate', { params });
    await server.refused('session_template_not_found', 'patchSessionTemplate', { params, body: { name: 'x' } });
    await make(STANDUP);
    const { entries } = await server.call('listAudit', { query: { limit: 5 } });
    expect(entries.map(({ action, object }) => [action, object])).toContainEqual(['template.deleted', made.id]);
  });

  it('outlives the server', async () => {
    const made = await make(STANDUP);
    await server.parley.restart();
    expect(await list()).toEqual([made]);
  });
});

describe('a template is refused', () => {
  it('under a name that another has', async () => {
    const first = await make({ name: 'Standup' });
    const second = await make({ name: 'Retro' });
    const problem = await server.refused('session_template_name_taken', 'createSessionTemplate', {
      body: { name: ' Standup ' },
    });
    expect(problem.detail).toBe('A template named "Standup" already exists.');
    const params = { templateId: second.id };
    await server.refused('session_template_name_taken', 'patchSessionTemplate', { params, body: { name: 'Standup' } });
    await patch(first, { name: 'Standup', opening: 'its own name is no trouble' });
    expect(await names()).toEqual(['Retro', 'Standup']);
  });

  it('for an agent that is not there', async () => {
    const body = { name: 'x', agentId: 'nobody' };
    await server.refused('agent_not_found', 'createSessionTemplate', { body });
    const made = await make({ name: 'x' });
    const params = { templateId: made.id };
    await server.refused('agent_not_found', 'patchSessionTemplate', { params, body: { agentId: 'nobody' } });
    expect((await list())[0]).toEqual(made);
  });

  it.each([
    ['without a name', {}],
    ['with a name of nothing but spaces', { name: '   ' }],
    ['with a name that is too long', { name: 'x'.repeat(201) }],
    ['with a title that is too long', { name: 'x', title: 'x'.repeat(201) }],
    ['with an opening that is too long', { name: 'x', opening: 'x'.repeat(20_001) }],
    ['with an unknown mode', { name: 'x', mode: 'careful' }],
    ['with an id that is no agent’s', { name: 'x', agentId: 'not an agent' }],
    ['with a field nobody knows', { name: 'x', owner: 'somebody-else' }],
  ])('%s', async (_, body) => {
    await server.refused('invalid_request', 'createSessionTemplate', { body });
    const made = await make({ name: 'there' });
    if ('name' in body || 'owner' in body)
      await server.refused('invalid_request', 'patchSessionTemplate', { params: { templateId: made.id }, body });
    expect(await list()).toEqual([made]);
  });

  it('past the limit, and there is room again once one is deleted', async () => {
    for (let at = 0; at < LIMIT; at++) await make({ name: `${at}` });
    const problem = await server.refused('too_many_session_templates', 'createSessionTemplate', {
      body: { name: 'one more' },
    });
    expect(problem.detail).toContain(`${LIMIT}`);
    const [first] = await list();
    await server.call('deleteSessionTemplate', { params: { templateId: first!.id } });
    await make({ name: 'one more', opening: 'x'.repeat(20_000) });
  });
});

describe('a session made from a template', () => {
  it('begins as the template says, as often as one likes, and says nothing by itself', async () => {
    const made = await make(STANDUP);
    for (const session of [await begin(made), await begin(made)]) {
      expect(session).toMatchObject({ agentId: 'wisp/eve', title: 'What is up', name: null, folder: 'Mornings' });
      expect(session).toMatchObject({ mode: 'read-only', status: 'idle', messageCount: 0, queuedCount: 0 });
    }
  });

  it('keeps the title of the template when something is said, and has one of its own without', async () => {
    const titled = await begin(await make({ name: 'a', agentId: 'ada', title: 'Ours' }));
    await server.say(titled.id, 'hello there');
    expect((await server.session(titled.id)).title).toBe('Ours');
    const plain = await begin(await make({ name: 'b', agentId: 'ada' }));
    await server.say(plain.id, 'hello there');
    expect((await server.session(plain.id)).title).toBe('hello there');
  });

  it('has what was asked for instead, where something was', async () => {
    const made = await make(STANDUP);
    const given = { agentId: 'bob', name: 'Mine', folder: 'Elsewhere', mode: 'full' } as const;
    expect(await begin(made, given)).toMatchObject({ ...given, title: 'Mine' });
  });

  it('stays as it is when the template changes or goes', async () => {
    const made = await make(STANDUP);
    const before = await begin(made);
    await patch(made, { folder: 'Evenings', agentId: 'bob' });
    await server.call('deleteSessionTemplate', { params: { templateId: made.id } });
    expect(await server.session(before.id)).toEqual(before);
  });

  it('is not made when the template, or the agent that is named, is not there', async () => {
    const count = async () => (await server.call('listSessions', { query: { limit: 200 } })).sessions.length;
    const before = await count();
    await server.refused('session_template_not_found', 'createSession', { body: { templateId: 'nobody-knows' } });
    const { id } = await make(STANDUP);
    await server.refused('agent_not_found', 'createSession', { body: { templateId: id, agentId: 'nobody' } });
    expect(await count()).toBe(before);
  });

  it('is refused with words that help when its agent has gone, and can be made with another one', async () => {
    await reconfigure(server, ({ agents }) => agents.push({ ...agents[0], agentId: 'passing' }));
    const made = await make({ name: 'For a while', agentId: 'passing', folder: 'Kept' });
    await reconfigure(server, ({ agents }) => agents.pop());
    const problem = await server.refused('agent_not_found', 'createSession', { body: { templateId: made.id } });
    expect(problem.detail).toBe(
      'The template "For a while" uses passing, which no longer exists. Change the template or choose another agent.',
    );
    expect(await begin(made, { agentId: 'ada' })).toMatchObject({ agentId: 'ada', folder: 'Kept' });
    const edited = await patch(made, { opening: 'still editable', agentId: 'passing' });
    expect(edited).toMatchObject({ agentId: 'passing', opening: 'still editable' });
    expect(await begin(await patch(made, { agentId: 'bob' }))).toMatchObject({ agentId: 'bob', folder: 'Kept' });
  });
});

describe('somebody else', () => {
  it('neither sees, changes, deletes nor uses a template, and its name is free', async () => {
    const made = await make(STANDUP);
    const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { timeout: 5000 });
    db.exec(`UPDATE session_templates SET owner = 'somebody-else'`);
    const params = { templateId: made.id };
    expect(await list()).toEqual([]);
    await server.refused('session_template_not_found', 'patchSessionTemplate', { params, body: { name: 'mine' } });
    await server.refused('session_template_not_found', 'deleteSessionTemplate', { params });
    await server.refused('session_template_not_found', 'createSession', { body: { templateId: made.id } });
    await make(STANDUP);
    const kept = db.prepare(`SELECT name, opening FROM session_templates WHERE owner = 'somebody-else'`).all();
    expect(kept).toEqual([{ name: STANDUP.name, opening: STANDUP.opening }]);
    db.exec(`DELETE FROM session_templates WHERE owner = 'somebody-else'`);
    db.close();
  });
});

it('whoever watches hears of every change, and of nothing that was refused', async () => {
  const upto = await watch(server, '/api/events');
  const made = await make(STANDUP);
  await server.refused('session_template_name_taken', 'createSessionTemplate', { body: STANDUP });
  await server.refused('agent_not_found', 'createSessionTemplate', { body: { name: 'y', agentId: 'nobody' } });
  await patch(made, { name: 'Daily' });
  await server.call('deleteSessionTemplate', { params: { templateId: made.id } });
  await server.open();
  const frames = await upto(({ type }) => type === 'session.created');
  expect(frames.map(({ type, id }) => [type, id])).toEqual([
    ['templates.changed', undefined],
    ['templates.changed', undefined],
    ['templates.changed', undefined],
    ['session.created', expect.any(String)],
  ]);
});

it('a data folder from before there were templates gets room for them and loses nothing', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-before-'));
  const raw = new DatabaseSync(path.join(home, 'parley.db'));
  const before = MIGRATIONS.findIndex(({ name }) => name === 'session templates');
  await migrate(new Kysely<Tables>({ dialect: new NodeSqliteDialect(raw) }), MIGRATIONS.slice(0, before));
  raw.exec(`INSERT INTO sessions (id, owner, type, status, sender, name, created_at, updated_at, last_activity_at)
    VALUES ('old', 'owner', 'conversation', 'idle', 'user', 'from before', 1, 1, 1)`);
  raw.close();
  const later = await TestServer.start({ home });
  try {
    expect(await later.session('old')).toMatchObject({ name: 'from before', mode: 'full' });
    const { id } = await later.call('createSessionTemplate', { body: { name: 'first', agentId: 'ada' } });
    expect(await later.create({ templateId: id })).toMatchObject({ agentId: 'ada' });
  } finally {
    await later.close();
  }
});
