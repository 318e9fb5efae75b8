import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditList } from '../../contract/access.ts';
import { until } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { answerNext } from '../suites/answering.ts';
import { ask, Cast, call } from '../suites/cast.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { Stage } from '../suites/stage.ts';
import { Workshop } from '../suites/workshop.ts';

/** Words in every place where somebody can put some. None of them belongs into an audit or a log. */
const WORDS = {
  message: 'wordsinthemessage',
  answer: 'wordsintheanswer',
  argument: 'wordsintheargument',
  output: 'wordsintheoutput',
  changed: 'wordsinthechange',
  reason: 'wordsinthereason',
  task: 'wordsinthetask',
  prompt: 'wordsintheprompt',
  invented: 'wordsintheinventedtool',
  thrown: 'wordsinthethrownerror',
  name: 'wordsinthename',
  file: 'wordsinthefile',
};
const KEY = 'sk-key-of-the-provider';

let shop: Workshop;
let stage: Stage;
let cast: Cast;
beforeAll(async () => {
  shop = await Workshop.open();
  installThrower();
  stage = await Stage.start({
    home: shop.home,
    env: { PARLEY_LOG_LEVEL: 'info', PROVIDER_KEY: KEY },
    agents: [{ agentId: 'lead', agentAllowlist: ['kid', 'peer'] }, { agentId: 'kid', parentAgentId: 'lead' }, 'peer'],
    agent: { toolAllowlist: ['shop_*', 'thrower_*', 'agents_*'], toolDenylist: ['shop_ask'] },
    config: { plugins: ['shop', 'thrower'] },
  });
  cast = new Cast(stage.provider);
  await tellStory();
});
afterAll(async () => {
  await stage.close();
  shop.close();
});

/** A tool with a defect, which repeats what it was given. */
function installThrower(): void {
  const folder = path.join(shop.home, 'plugins', 'thrower');
  mkdirSync(folder, { recursive: true });
  const manifest = { id: 'thrower', description: 'Throws.', tools: 'tools.mjs' };
  writeFileSync(path.join(folder, 'plugin.json'), JSON.stringify(manifest));
  writeFileSync(
    path.join(folder, 'tools.mjs'),
    `export default ({ z, defineTool }) => [defineTool({ name: 'thrower_throw', description: 'Throws.', risk: 'read',
      input: z.strictObject({ what: z.string() }) }, async ({ what }) => {
        throw Object.assign(new TypeError('cannot use\\n    at ' + what), { cause: new Error(what), detail: what });
      })];`,
  );
}

const requestIds: Record<string, string> = {};

/** One thing of each kind that the audit is for. */
async function tellStory(): Promise<void> {
  await signIns();
  await configurations();
  const session = await calls();
  await endings(session);
  const { headers } = await stage.ask('runTool', { body: { tool: 'bash', input: { command: WORDS.argument } } });
  requestIds.bash = headers.get('x-request-id')!;
  await stage.ask('runTool', { body: { tool: 'thrower_throw', input: { what: WORDS.thrown } } });
  await stage.ask('runTool', { body: { tool: 'shop_count', input: { key: WORDS.argument } } });
  await stage.parley.request('GET', '/api/sessions', undefined, { Authorization: `Bearer ${WORDS.name}` });
  await rawRequest(stage.parley, 'GET', '/api/sessions', { Host: 'evil.example' });
}

async function signIns(): Promise<void> {
  const { url } = await stage.call('createSignInLink');
  const code = new URL(url).hash.replace('#code=', '');
  const signIn = (given: string) => stage.ask('signIn', { body: { code: given }, headers: { Authorization: '' } });
  expect((await signIn(code)).status).toBe(201);
  expect((await signIn(WORDS.name)).status).toBe(401);
}

async function configurations(): Promise<void> {
  const body = { agentId: 'made', systemPrompt: WORDS.prompt, chat: { provider: 'demo' } };
  await stage.call('createAgent', { body });
  await stage.call('updateAgent', { params: { agentId: 'made' }, body: { description: WORDS.prompt } });
  await stage.call('deleteAgent', { params: { agentId: 'made' } });
  await reconfigure(stage, (settings) => Object.assign(settings, { slip: 1 }));
  await reconfigure(stage, (settings) => delete settings.slip);
}

async function calls(): Promise<string> {
  shop.release(WORDS.argument, WORDS.output);
  cast.plays(
    'lead',
    [{ kind: 'text', text: WORDS.answer }, call('shop_wait', { key: WORDS.argument })],
    [
      call('shop_ask', { question: WORDS.argument }),
      call(WORDS.invented, {}),
      call('thrower_throw', { what: WORDS.thrown }),
    ],
    [call('shop_risky', { key: WORDS.argument })],
    [call('shop_risky', { key: WORDS.argument })],
    [ask('peer', WORDS.task)],
    `<delegate to="kid">${WORDS.task}</delegate>`,
    WORDS.answer,
  );
  const { id } = await stage.create({ agentId: 'lead', name: WORDS.name });
  const { turn } = await stage.send(id, WORDS.message);
  await answerNext(stage, id, { decision: 'always', input: { key: WORDS.changed } });
  await stage.settled(turn.id);
  const [{ id: grantId }] = (await stage.call('listGrants')).grants as unknown as [{ id: string }];
  await stage.call('revokeGrant', { params: { grantId } });
  cast.plays('lead', [call('shop_risky', { key: WORDS.argument })], WORDS.answer);
  const again = await stage.send(id, WORDS.message);
  await answerNext(stage, id, { decision: 'deny', reason: WORDS.reason });
  expect((await stage.settled(again.turn.id)).state).toBe('complete');
  return id;
}

async function endings(sessionId: string): Promise<void> {
  const params = { sessionId };
  requestIds.export = (await stage.ask('exportSession', { params })).headers.get('x-request-id')!;
  const file = await stage.parley.ok<{ id: string }>('POST', `/api/files?name=${WORDS.file}`, WORDS.file);
  await stage.call('deleteFile', { params: { fileId: file.id } });
  const messages = await stage.messages(sessionId);
  await stage.call('deleteMessage', { params: { messageId: messages.at(-2)!.id } });
  await stage.call('clearSession', { params });
  await stage.call('deleteSession', { params });
}

async function audit(): Promise<AuditList['entries']> {
  return (await stage.call('listAudit', { query: { limit: 500 } })).entries;
}

describe('the audit', () => {
  it('has who did what: sign-ins, changes, approvals, calls, delegations, exports, deletions and refusals', async () => {
    const entries = await until(audit, (all) => all.some(({ object }) => object === 'host_not_allowed'));
    const known = entries.map(({ action, object, detail }) => `${action} ${toKind(object)} ${detail ?? ''}`.trim());
    const wanted = [
      'sign-in …',
      'refused sign_in_code_invalid 1',
      'agent.created made',
      'agent.updated made',
      'agent.deleted made',
      'configuration.changed  in force',
      'configuration.changed  refused',
      'tool.call … lead shop_wait running',
      'tool.call … lead shop_ask rejected',
      'tool.call … lead something unknown rejected',
      'tool.call … lead thrower_throw running',
      'tool.call … lead shop_risky waiting',
      'tool.call … lead shop_risky running',
      'action.answer … approval always shop_risky',
      'action.answer … approval deny shop_risky',
      'grant.revoked …',
      'delegation … lead → peer (tool, sync)',
      'delegation … lead → kid (tag)',
      'session.exported … json',
      'file.deleted …',
      'message.deleted …',
      'session.cleared …',
      'session.deleted …',
      'refused tool_not_allowed 1',
      'tool.used shop_count',
      'refused unauthorized 1',
      'refused host_not_allowed 1',
    ];
    expect(wanted.filter((each) => !known.includes(each))).toEqual([]);
  });

  /** Ids are made anew every time. */
  function toKind(object: string | null): string {
    return object !== null && /^[0-9a-f-]{36}$/.test(object) ? '…' : (object ?? '');
  }

  it('names the request that did it', async () => {
    const entries = await audit();
    const by = (id: string) => entries.filter(({ requestId }) => requestId === id).map(({ action }) => action);
    expect(by(requestIds.export!)).toEqual(['session.exported']);
    expect(by(requestIds.bash!)).toEqual(['refused']);
    const fromApi = /^(sign-in|agent\.|action\.answer|grant\.|session\.|message\.|file\.|tool\.used|refused)/;
    for (const { action, requestId } of entries)
      if (fromApi.test(action)) expect([action, requestId]).toEqual([action, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('and the log at its usual level hold no words, arguments, outputs, names, keys or tokens', async () => {
    const written = JSON.stringify(await audit());
    const { stderr } = stage.parley;
    expect(stderr).toContain('"msg":"request"');
    expect(stderr).toContain('the tool thrower_throw failed with an internal error');
    expect(stderr).toContain('plugins/thrower/tools.mjs');
    for (const secret of [...Object.values(WORDS), KEY, stage.parley.token]) {
      expect([secret, written.includes(secret)]).toEqual([secret, false]);
      expect([secret, stderr.includes(secret)]).toEqual([secret, false]);
    }
  });
});

describe('the log', () => {
  it('does not hold the links under which others may read', async () => {
    const session = await stage.open('lead');
    await stage.say(session, 'Shared.');
    const { url } = await stage.call('createShare', { params: { sessionId: session }, body: {} });
    const token = url.split('/').at(-1)!;
    expect(token.length).toBeGreaterThan(20);
    expect((await stage.ask('readShare', { params: { token } })).status).toBe(200);
    await stage.ask('copyShare', { params: { token } });
    await stage.parley.request('GET', `/s/${token}`);
    await stage.parley.request('GET', `/s/${token}/`);
    await until(
      async () => stage.parley.stderr,
      (log) => log.split('"path":"/s/…"').length === 3,
    );
    expect(stage.parley.stderr).not.toContain(token);
    expect(JSON.stringify(await audit())).not.toContain(token);
  });
});

describe('a failure', () => {
  it('of a tool tells neither a model nor a person what is inside, and each has its request', async () => {
    const { status, body, headers } = await stage.ask('runTool', {
      body: { tool: 'thrower_throw', input: { what: WORDS.thrown } },
    });
    expect([status, body]).toEqual([500, expect.objectContaining({ code: 'internal_error' })]);
    expect((body as { requestId: string }).requestId).toBe(headers.get('x-request-id'));
    expect(JSON.stringify(body)).not.toMatch(/wordsin|tools\.mjs|TypeError|\bat\b/);
    expect(stage.parley.stderr).toContain(headers.get('x-request-id'));
    cast.plays('lead', [call('thrower_throw', { what: WORDS.thrown })], 'It failed.');
    await stage.say(await stage.open('lead'), 'Throw.');
    const told = stage.prompt('lead').findLast(({ role }) => role === 'tool')!;
    expect(told.content).toBe('Error: The tool failed unexpectedly.');
  });
});
