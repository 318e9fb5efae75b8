import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditList } from '../../contract/access.ts';
import { until } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { answerNext } from '../suites/answering.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { ask, call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { ShopPlugin } from '../suites/shop-plugin.ts';
import { TestServer } from '../suites/test-server.ts';

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

let shop: ShopPlugin;
let server: TestServer;
let scripted: ScriptedAgents;
beforeAll(async () => {
  shop = await ShopPlugin.open();
  installThrower();
  server = await TestServer.start({
    home: shop.home,
    env: { PARLEY_LOG_LEVEL: 'info', PROVIDER_KEY: KEY },
    agents: [{ agentId: 'lead', agentAllowlist: ['kid', 'peer'] }, { agentId: 'kid', parentAgentId: 'lead' }, 'peer'],
    agent: { toolAllowlist: ['shop_*', 'thrower_*', 'agents_*'], toolDenylist: ['shop_ask'] },
    config: { plugins: ['shop', 'thrower'] },
  });
  scripted = new ScriptedAgents(server.provider);
  await tellStory();
});
afterAll(async () => {
  await server.close();
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
  const { headers } = await server.ask('runTool', { body: { tool: 'bash', input: { command: WORDS.argument } } });
  requestIds.bash = headers.get('x-request-id')!;
  await server.ask('runTool', { body: { tool: 'thrower_throw', input: { what: WORDS.thrown } } });
  await server.ask('runTool', { body: { tool: 'shop_count', input: { key: WORDS.argument } } });
  await server.parley.request('GET', '/api/sessions', undefined, { Authorization: `Bearer ${WORDS.name}` });
  await rawRequest(server.parley, 'GET', '/api/sessions', { Host: 'evil.example' });
}

async function signIns(): Promise<void> {
  const { url } = await server.call('createSignInLink');
  const code = new URL(url).hash.replace('#code=', '');
  const signIn = (given: string) => server.ask('signIn', { body: { code: given }, headers: { Authorization: '' } });
  expect((await signIn(code)).status).toBe(201);
  expect((await signIn(WORDS.name)).status).toBe(401);
}

async function configurations(): Promise<void> {
  const body = { agentId: 'made', systemPrompt: WORDS.prompt, chat: { provider: 'demo' } };
  await server.call('createAgent', { body });
  await server.call('updateAgent', { params: { agentId: 'made' }, body: { description: WORDS.prompt } });
  await server.call('deleteAgent', { params: { agentId: 'made' } });
  await reconfigure(server, (settings) => Object.assign(settings, { slip: 1 }));
  await reconfigure(server, (settings) => delete settings.slip);
}

async function calls(): Promise<string> {
  shop.release(WORDS.argument, WORDS.output);
  scripted.answers(
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
  const { id } = await server.create({ agentId: 'lead', name: WORDS.name });
  const { turn } = await server.send(id, WORDS.message);
  await answerNext(server, id, { decision: 'always', input: { key: WORDS.changed } });
  await server.settled(turn.id);
  const [{ id: grantId }] = (await server.call('listGrants')).grants as unknown as [{ id: string }];
  await server.call('revokeGrant', { params: { grantId } });
  scripted.answers('lead', [call('shop_risky', { key: WORDS.argument })], WORDS.answer);
  const again = await server.send(id, WORDS.message);
  await answerNext(server, id, { decision: 'deny', reason: WORDS.reason });
  expect((await server.settled(again.turn.id)).state).toBe('complete');
  return id;
}

async function endings(sessionId: string): Promise<void> {
  const params = { sessionId };
  requestIds.export = (await server.ask('exportSession', { params })).headers.get('x-request-id')!;
  const file = await server.parley.ok<{ id: string }>('POST', `/api/files?name=${WORDS.file}`, WORDS.file);
  await server.call('deleteFile', { params: { fileId: file.id } });
  const messages = await server.messages(sessionId);
  await server.call('deleteMessage', { params: { messageId: messages.at(-2)!.id } });
  await server.call('clearSession', { params });
  await server.call('deleteSession', { params });
}

async function audit(): Promise<AuditList['entries']> {
  return (await server.call('listAudit', { query: { limit: 500 } })).entries;
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
    const { stderr } = server.parley;
    expect(stderr).toContain('"msg":"request"');
    expect(stderr).toContain('the tool thrower_throw failed with an internal error');
    expect(stderr).toContain('plugins/thrower/tools.mjs');
    for (const secret of [...Object.values(WORDS), KEY, server.parley.token]) {
      expect([secret, written.includes(secret)]).toEqual([secret, false]);
      expect([secret, stderr.includes(secret)]).toEqual([secret, false]);
    }
  });
});

describe('the log', () => {
  it('does not hold the links under which others may read', async () => {
    const session = await server.open('lead');
    await server.say(session, 'Shared.');
    const { url } = await server.call('createShare', { params: { sessionId: session }, body: {} });
    const token = url.split('/').at(-1)!;
    expect(token.length).toBeGreaterThan(20);
    expect((await server.ask('readShare', { params: { token } })).status).toBe(200);
    await server.ask('copyShare', { params: { token } });
    await server.parley.request('GET', `/s/${token}`);
    await server.parley.request('GET', `/s/${token}/`);
    await until(
      async () => server.parley.stderr,
      (log) => log.split('"path":"/s/…"').length === 3,
    );
    expect(server.parley.stderr).not.toContain(token);
    expect(JSON.stringify(await audit())).not.toContain(token);
  });
});

describe('a failure', () => {
  it('of a tool tells neither a model nor a person what is inside, and each has its request', async () => {
    const { status, body, headers } = await server.ask('runTool', {
      body: { tool: 'thrower_throw', input: { what: WORDS.thrown } },
    });
    expect([status, body]).toEqual([500, expect.objectContaining({ code: 'internal_error' })]);
    expect((body as { requestId: string }).requestId).toBe(headers.get('x-request-id'));
    expect(JSON.stringify(body)).not.toMatch(/wordsin|tools\.mjs|TypeError|\bat\b/);
    expect(server.parley.stderr).toContain(headers.get('x-request-id'));
    scripted.answers('lead', [call('thrower_throw', { what: WORDS.thrown })], 'It failed.');
    await server.say(await server.open('lead'), 'Throw.');
    const told = server.prompt('lead').findLast(({ role }) => role === 'tool')!;
    expect(told.content).toBe('Error: The tool failed unexpectedly.');
  });
});
