import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreatedIncomingWebhook, IncomingWebhook } from '../../contract/webhooks.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { signedHeaders, standardSignature } from '../harness/webhook-target.ts';

const ATTEMPTS = 60;
const BODY = '{"a":1}';

let provider: ScriptedProvider;
let parley: Parley;
let made: CreatedIncomingWebhook;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const limits = { wrongCredentialsPerMinute: ATTEMPTS, webhookCallsPerMinute: 1000 };
  parley = await Parley.start({ config: { agents: [scriptedAgent(provider.url, 'ada')], limits } });
  made = await parley.ok('POST', '/api/incoming-webhooks', { name: 'CI', agentId: 'ada' });
});
afterAll(async () => {
  await parley.close();
  await provider.close();
});

const host = () => new URL(parley.url).host;
const post = (headers: Record<string, string>, body = BODY, path = made.webhook.path) =>
  rawRequest(parley, 'POST', path, { Host: host(), ...headers }, body);
const sessions = async () => (await parley.ok<{ sessions: unknown[] }>('GET', '/api/sessions?limit=200')).sessions;
const current = () => parley.ok<IncomingWebhook>('GET', `/api/incoming-webhooks/${made.webhook.id}`);
/** What a stranger can see of an answer, without what differs between any two. */
const seen = ({ status, headers, body }: Awaited<ReturnType<typeof post>>) => {
  const { 'x-request-id': _, date: __, 'content-length': ___, ...rest } = headers;
  return { status, headers: rest, body: body.replace(/"requestId":"[^"]*"/, '') };
};

it('whatever is wrong with a request, a stranger hears the same as of an address that is not there', async () => {
  const { secret } = made;
  const good = signedHeaders(secret, BODY, 'id-1');
  const now = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const withoutId = `v1,${createHmac('sha256', key).update(`${now}.${BODY}`).digest('base64')}`;
  const hub = `sha256=${createHmac('sha256', secret).update(BODY).digest('hex')}`;
  const wrong: [Record<string, string>, string?][] = [
    [{}],
    [{ Authorization: `Bearer ${parley.token}` }],
    [good, `${BODY} `],
    [{ ...good, 'webhook-id': 'id-2' }],
    [{ ...good, 'webhook-timestamp': String(Number(now) + 1) }],
    [{ ...good, 'webhook-timestamp': 'now' }],
    [{ ...good, 'webhook-signature': good['webhook-signature']!.replace('v1,', '') }],
    [{ ...good, 'webhook-signature': good['webhook-signature']!.replace('v1,', 'v1a,') }],
    [{ ...good, 'webhook-signature': 'v1,' }],
    [{ ...good, 'webhook-signature': withoutId }],
    [signedHeaders(secret, BODY, 'old', Date.now() - 301_000)],
    [signedHeaders(secret, BODY, 'new', Date.now() + 302_000)],
    [signedHeaders(secret, BODY, 'x'.repeat(257))],
    [{ 'x-hub-signature-256': hub }],
    [signedHeaders('whsec_', BODY, 'empty key')],
  ];
  const missing = seen(await post(good, BODY, made.webhook.path.replace(made.webhook.id, 'nobody-knows')));
  expect(missing.status).toBe(401);
  for (const [headers, body] of wrong) expect([headers, seen(await post(headers, body))]).toEqual([headers, missing]);
  expect(await sessions()).toHaveLength(0);
  expect((await current()).lastRefused).toMatchObject({ count: wrong.length });
});

it('one right signature among several is enough, and a copy of a request does nothing', async () => {
  const { secret } = made;
  const [id, at] = ['several', String(Math.floor(Date.now() / 1000))];
  const signature = `v1,AAAA ${standardSignature(secret, id, at, BODY)}`;
  const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature };
  expect((await post(headers)).status).toBe(202);
  const copy = await post(headers);
  expect([copy.status, JSON.parse(copy.body).duplicate]).toEqual([202, true]);
  expect(await sessions()).toHaveLength(1);
});

it('another site and another name are refused before anything is read; a browser has no way in', async () => {
  const good = signedHeaders(made.secret, BODY, 'foreign');
  for (const [name, value] of [
    ['Origin', 'https://evil.example'],
    ['Sec-Fetch-Site', 'cross-site'],
    ['Origin', 'null'],
  ] as const)
    expect((await post({ ...good, [name]: value })).status).toBe(403);
  expect((await rawRequest(parley, 'POST', made.webhook.path, { Host: 'evil.example', ...good }, BODY)).status).toBe(
    403,
  );
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
    expect((await rawRequest(parley, method, made.webhook.path, { Host: host() })).status).toBeGreaterThanOrEqual(400);
});

it('secrets are in no answer but the first, in no export and in no log', async () => {
  const shown = await Promise.all(
    ['/api/incoming-webhooks', `/api/incoming-webhooks/${made.webhook.id}`, '/api/audit?limit=200'].map((path) =>
      parley.request('GET', path),
    ),
  );
  expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(made.secret);
  expect(parley.stderr).not.toContain(made.secret);
  expect(made.secret.length).toBeGreaterThan(40);
});

it('an old secret stops to count once it is renewed twice', async () => {
  const renew = () => parley.ok<{ secret: string }>('POST', `/api/incoming-webhooks/${made.webhook.id}/secret`);
  const second = await renew();
  expect((await post(signedHeaders(made.secret, BODY, 'overlap'))).status).toBe(202);
  const third = await renew();
  expect((await post(signedHeaders(made.secret, BODY, 'too late'))).status).toBe(401);
  expect((await post(signedHeaders(second.secret, BODY, 'second'))).status).toBe(202);
  expect((await post(signedHeaders(third.secret, BODY, 'third'))).status).toBe(202);
});

it('guessing slows down; a right signature is never refused for it', async () => {
  const statuses = [];
  for (let count = 0; count <= ATTEMPTS; count++) statuses.push((await post({})).status);
  expect(statuses.at(-1)).toBe(429);
  const { secret } = await parley.ok<{ secret: string }>('POST', `/api/incoming-webhooks/${made.webhook.id}/secret`);
  expect((await post(signedHeaders(secret, BODY, 'right'))).status).toBe(202);
});
