import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditList } from '../../contract/access.ts';
import type { Problem } from '../../contract/errors.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { bearer, rawRequest } from '../harness/raw-request.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';

const KEY = 'sk-live-7f3a9c-very-secret';
const WORDS = 'my-diagnosis-is-nobodys-business';

let provider: ScriptedProvider;
let parley: Parley;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const chat = { provider: 'openai-compatible', model: 'm', baseUrl: `${provider.url}/v1`, apiKey: '${SECRET_KEY}' };
  const agents = [scriptedAgent(provider.url, 'wisp/one', { chat }), scriptedAgent(provider.url, 'wisp/two', { chat })];
  parley = await Parley.start({ config: { agents }, env: { PARLEY_LOG_LEVEL: 'debug', SECRET_KEY: KEY } });
});
afterAll(async () => {
  await parley.close();
  await provider.close();
});

const headers = () => ({ Host: new URL(parley.url).host, 'Content-Type': 'application/json', ...bearer(parley) });

describe('errors', () => {
  it('are problem documents with a request id, and without a stack, a path, a key or what was said', async () => {
    const { id } = await parley.createSession({ agentId: 'wisp/one' });
    const refusals: [string, string, string?][] = [
      ['GET', '/api/nothing'],
      ['GET', '/api/sessions/none'],
      ['POST', `/api/sessions/${id}/messages`, `{"content":"${WORDS}","surprise":1}`],
      ['POST', `/api/sessions/${id}/messages`, `{"content":"${WORDS}`],
      ['POST', `/api/sessions/${id}/messages`, `{"content":"${WORDS}","agent":"wisp/none"}`],
      ['POST', '/api/imports', `{"messages":[{"role":"wizard","content":"${WORDS}"}]}`],
      ['POST', '/api/agents', `{"agentId":"wisp/one","systemPrompt":"${WORDS}"}`],
      ['POST', '/api/agents', `{"agentId":"${KEY} !"}`],
      ['POST', '/api/agents', `{"agentId":"wisp/x","chat":{"apiKey":["${KEY}"]}}`],
      ['PATCH', '/api/agents/wisp/one', `{"chat":{"baseUrl":"ftp://${KEY}"}}`],
      ['GET', `/api/search?q="${WORDS}`],
      ['PUT', '/api/sessions'],
      ['GET', '/api/events?after=x'],
    ];
    for (const [method, route, body] of refusals) {
      const answer = await rawRequest(parley, method, route.replaceAll('"', '%22'), headers(), body);
      const problem = JSON.parse(answer.body) as Problem;
      expect([route, answer.headers['content-type']]).toEqual([route, 'application/problem+json']);
      expect(problem).toMatchObject({ status: answer.status, code: expect.any(String), detail: expect.any(String) });
      expect(problem.requestId).toBe(answer.headers['x-request-id']);
      expect(answer.body).not.toMatch(/\n? {4}at |\.ts\b|node_modules|\/tmp\/|\/work\/|SELECT /);
      for (const secret of [KEY, WORDS, parley.token, parley.home]) expect(answer.body).not.toContain(secret);
    }
  });

  it('every answer, streams included, has a request id and the headers that keep browsers careful', async () => {
    for (const route of ['/', '/health', '/api/sessions', '/api/events', '/metrics', '/api/nothing']) {
      const answer = await rawRequest(parley, 'GET', route, headers());
      expect([route, answer.headers['x-request-id']]).toEqual([route, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(answer.headers['x-powered-by']).toBeUndefined();
    }
  });
});

describe('what is written down', () => {
  it('the log, at its most talkative, holds no message, no token, no code and no key', async () => {
    const { id } = await parley.createSession({ agentId: 'wisp/one', name: `about ${WORDS}` });
    await parley.say(id, { content: WORDS });
    await parley.say(id, { content: `[[fail=500]] ${WORDS}` });
    await parley.say(id, { content: `[[chunks=2 reset]] ${WORDS}` });
    await parley.request('GET', `/api/search?q=${WORDS}`);
    await parley.request('GET', `/api/sessions/${id}/export`);
    await parley.request('POST', `/api/sessions/${id}/messages`, `{"content":"${WORDS}`);
    await parley.request('GET', '/api/sessions', undefined, { Authorization: 'Bearer wrong-token-value' });
    const link = await parley.ok<{ url: string }>('POST', '/api/sign-in-links');
    const code = link.url.split('code=')[1]!;
    const cookies = await fetch(`${parley.url}/api/sign-ins`, {
      method: 'POST',
      headers: JSON_ONLY,
      body: JSON.stringify({ code }),
    });
    const cookie = cookies.headers.get('set-cookie')!.split(';')[0]!.split('=')[1]!;
    expect(parley.stderr).toContain('"msg":"request"');
    for (const secret of [WORDS, KEY, parley.token, 'wrong-token-value', code, cookie])
      expect(parley.stderr).not.toContain(secret);
  });

  it('the audit knows sign-ins, configuration changes, exports, deletions and refusals, and no words', async () => {
    const { id } = await parley.createSession({ agentId: 'wisp/one' });
    await parley.say(id, { content: WORDS });
    await parley.request('GET', `/api/sessions/${id}/export?format=markdown`);
    await parley.ok('DELETE', `/api/sessions/${id}/messages`);
    await parley.ok('DELETE', `/api/sessions/${id}`);
    await parley.ok('POST', '/api/agents', { agentId: 'made/here', chat: { provider: 'demo' }, systemPrompt: WORDS });
    await parley.ok('PATCH', '/api/agents/made/here', { description: 'changed' });
    await parley.ok('DELETE', '/api/agents/made/here');
    await rawRequest(parley, 'GET', '/api/sessions', { Host: 'evil.example' });
    await parley.request('GET', '/api/sessions', undefined, { Authorization: 'Bearer nope' });
    const { entries } = await parley.ok<AuditList>('GET', '/api/audit?limit=500');
    const actions = new Set(entries.map((entry) => entry.action));
    const wanted = [
      'sign-in',
      'agent.created',
      'agent.updated',
      'agent.deleted',
      'session.exported',
      'session.cleared',
    ];
    for (const action of [...wanted, 'session.deleted', 'refused'])
      expect([action, actions.has(action)]).toEqual([action, true]);
    expect(entries.find((entry) => entry.action === 'session.deleted')).toMatchObject({
      object: id,
      requestId: expect.any(String),
    });
    const refused = entries
      .filter((entry) => entry.action === 'refused')
      .map((entry) => `${entry.object} ${entry.detail}`)
      .join();
    expect(refused).toContain('host_not_allowed');
    expect(refused).toContain('unauthorized');
    for (const secret of [WORDS, KEY, parley.token]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('an agent is shown with the name of its key, never the key', async () => {
    for (const route of [
      '/api/agents',
      '/api/agents/wisp/one',
      '/api/templates',
      '/api/configuration',
      '/api/discovered-agents',
    ])
      expect(JSON.stringify((await parley.request('GET', route)).body)).not.toContain(KEY);
  });
});

const JSON_ONLY = { 'Content-Type': 'application/json' };
