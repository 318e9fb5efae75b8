import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SharedSession } from '../../contract/shares.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { bearer, rawRequest } from '../harness/raw-request.ts';
import { gate, reasoning, text } from '../harness/scripted-script.ts';
import { signInBrowser } from '../harness/signed-in-browser.ts';
import { call, ScriptedAgents } from './scripted-agents.ts';
import { asProblem, matches, TestServer } from './test-server.ts';

let server: TestServer;
let scripted: ScriptedAgents;
beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      'ada',
      { agentId: 'bob', displayName: 'Bob the Builder', toolAllowlist: ['todo_*'] },
      { agentId: 'boss', displayName: 'The Chief', agentAllowlist: ['ada'], delegation: { tags: true } },
    ],
    config: { limits: { shareBytes: 20_000 }, server: { allowedHosts: ['parley.example'] } },
  });
  scripted = new ScriptedAgents(server.provider);
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

const share = (sessionId: string, body: object = {}) => server.call('createShare', { params: { sessionId }, body });
const tokenOf = ({ url }: { url: string }) => new URL(url).pathname.replace('/s/', '');

/** As anybody who was given the link. */
async function look(link: { url: string }): Promise<SharedSession> {
  const answer = await ask(`/api/public/shares/${tokenOf(link)}`);
  expect(answer.status).toBe(200);
  const body = JSON.parse(answer.body);
  matches(SharedSession, body);
  return body;
}

function ask(route: string, headers: Record<string, string> = {}, method = 'GET') {
  return rawRequest(server.parley, method, route, { Host: new URL(server.parley.url).host, ...headers });
}

const lines = ({ messages }: SharedSession) =>
  messages.map((message) => `${message.name ?? message.agent ?? message.role}: ${message.text}`);

describe('sharing', () => {
  it('gives a link that shows names and words to whoever has it', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    await server.say(id, { content: 'and you?', guest: 'bob' });
    const link = await share(id);
    expect(link).toMatchObject({ sessionId: id, title: 'hello' });
    expect(link.url.startsWith(`${server.parley.url}/s/`)).toBe(true);
    expect(Buffer.from(tokenOf(link), 'base64url').length).toBe(32);
    const shared = await look(link);
    expect(shared).toMatchObject({ title: 'hello', sharedAt: link.createdAt });
    expect(lines(shared)).toEqual([
      'user: hello',
      'ada: ada heard: hello',
      'user: and you?',
      'Bob the Builder: bob heard: and you?',
    ]);
    expect(shared.messages.map(({ agent }) => agent)).toEqual([null, 'agent-1', null, 'agent-2']);
    expect(shared.messages.at(-1)).toMatchObject({ guest: true });
  });

  it('shows what was said until then, on the branch that was shown, and nothing of what came later', async () => {
    const id = await server.open();
    const { message } = await server.say(id, 'one way');
    const params = { messageId: message.id };
    await server.call('reviseMessage', { params, query: { wait: 15 }, body: { content: 'another way' } });
    const link = await share(id);
    await server.say(id, 'later');
    expect(lines(await look(link))).toEqual(['user: another way', 'ada: ada heard: another way']);
    expect(lines(await look(await share(id))).length).toBe(4);
  });

  it('leaves out thoughts, what tools were given and gave back, files, what waits, and every id', async () => {
    const answer = [...reasoning('a secret thought'), call('todo_add', { title: 'rhubarb' })];
    scripted.answers('bob', answer, 'Added it.');
    const { id: fileId } = await server.parley.ok<{ id: string }>('POST', '/api/files?name=plan.txt', 'classified');
    const id = await server.open('bob');
    const { turn } = await server.say(id, { content: 'go', files: [fileId] });
    const held = gate();
    scripted.answers('bob', { steps: [...text('unfinished'), { kind: 'gate', until: held.until }] });
    const running = await server.send(id, 'second');
    await server.speaking(id);
    await server.send(id, 'waiting words');
    const shared = await look(await share(id));
    const said = JSON.stringify(shared);
    for (const hidden of ['secret thought', 'rhubarb', 'classified', 'unfinished', 'waiting words'])
      expect([hidden, said.includes(hidden)]).toEqual([hidden, false]);
    for (const each of [id, turn.id, running.turn.id, fileId, turn.messageId]) expect(said).not.toContain(each);
    expect(said).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(shared.messages[0]!.parts).toEqual([
      { type: 'text', text: 'go' },
      { type: 'file', name: 'plan.txt', mediaType: 'application/json', kind: 'text', bytes: 10 },
    ]);
    expect(shared.messages[1]!.parts).toEqual([
      { type: 'tool_call', name: 'todo_add', state: 'complete', durationMs: expect.any(Number) },
      { type: 'text', text: 'Added it.' },
    ]);
    const withDetails = await share(id, { toolDetails: true });
    const { shares } = await server.call('listShares', { query: { session: id } });
    expect(shares.map(({ toolDetails }) => toolDetails)).toEqual([true, false]);
    expect(shares[0]).toEqual(withDetails);
    const whole = await look(withDetails);
    expect(whole.messages[1]!.parts[0]).toMatchObject({ input: '{"title":"rhubarb"}', output: expect.any(String) });
    expect(JSON.stringify(whole)).not.toContain('secret thought');
    held.open();
    await server.settled(running.turn.id);
  });

  it('shows who gave work to whom, and not where', async () => {
    scripted.answers('boss', 'Ada shall. <delegate to="ada">look it up</delegate>', 'So it is.');
    const id = await server.open('boss');
    await server.say(id, 'please');
    const shared = await look(await share(id));
    const given = shared.messages.find(({ role }) => role === 'delegation')!;
    expect(given).toMatchObject({ text: 'look it up', agent: 'agent-2' });
    expect(given.parts).toContainEqual({ type: 'delegation', from: 'The Chief', to: 'ada', state: 'complete' });
    expect(JSON.stringify(shared)).not.toContain('boss');
    expect(JSON.stringify(shared)).not.toContain(id);
  });

  it('holds no ids in tool details, nor the id of an agent that was deleted', async () => {
    const { definition } = await server.call('getAgent', { params: { agentId: 'bob' } });
    const chat = { ...definition.chat, model: 'model-of-brief' };
    const lists = { toolAllowlist: ['agents_message', 'sessions_list', 'todo_*'], agentAllowlist: ['bob'] };
    await server.call('createAgent', {
      body: { ...definition, ...lists, agentId: 'brief', displayName: 'Gone Soon', chat },
    });
    const asking = call('agents_message', { agentId: 'bob', content: 'Help.', session: 'create' }, 'c1');
    const steps = [asking, call('sessions_list', {}, 'c2'), call('todo_add', { title: 'quince' }, 'c3')];
    scripted.answers('brief', steps, 'Done.');
    const id = await server.open('brief');
    await server.say(id, 'go');
    await server.call('deleteAgent', { params: { agentId: 'brief' } });
    const shared = await look(await share(id, { toolDetails: true }));
    const said = JSON.stringify(shared);
    expect(said).toContain('quince');
    expect(said).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7|brief|"bob/);
    expect(new Set(shared.messages.map(({ name }) => name))).toEqual(new Set([null, 'Deleted agent 1']));
    const calls = shared.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool_call'));
    expect(calls.map((part) => 'input' in part)).toEqual([false, false, true]);
  });

  it('is refused where nothing was said, or too much', async () => {
    const id = await server.open();
    await server.refused('nothing_to_share', 'createShare', { params: { sessionId: id } });
    scripted.answers('ada', 'x'.repeat(19_000));
    await server.say(id, 'go on');
    await share(id);
    scripted.answers('ada', 'x'.repeat(1000));
    await server.say(id, 'go on');
    await server.refused('share_too_large', 'createShare', { params: { sessionId: id } });
  });
});

describe('a link', () => {
  it('is mine to list and to take back; then it leads nowhere', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    const [first, second] = [await share(id), await share(id)];
    const mine = async () => (await server.call('listShares', { query: { session: id } })).shares;
    expect(await mine()).toEqual([second, first]);
    expect((await server.call('listShares', { query: { limit: 1 } })).shares).toEqual([second]);
    await server.call('revokeShare', { params: { shareId: first.id } });
    expect(await mine()).toEqual([second]);
    await server.refused('share_not_found', 'revokeShare', { params: { shareId: first.id } });
    const nowhere = await ask(`/api/public/shares/${tokenOf(first)}`);
    const never = await ask(`/api/public/shares/${'x'.repeat(43)}`);
    const words = ({ status, body }: typeof nowhere) => ({ status, ...JSON.parse(body), requestId: null });
    expect(words(nowhere)).toMatchObject({ status: 404, code: 'share_not_found' });
    expect(words(nowhere)).toEqual(words(never));
    await server.refused('share_not_found', 'copyShare', { params: { token: tokenOf(first) } });
    expect(lines(await look(second)).length).toBe(2);
    const { entries } = await server.call('listAudit', { query: { limit: 10 } });
    const noted = entries.filter(({ action }) => action.startsWith('share.'));
    expect(noted.map(({ action, object }) => [action, object])).toContainEqual(['share.revoked', first.id]);
    expect(noted.map(({ action, object }) => [action, object])).toContainEqual(['share.created', second.id]);
    expect(JSON.stringify(entries)).not.toContain(tokenOf(second));
  });

  it('opens a page that search engines are told to leave alone', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    const link = await share(id);
    const page = await ask(`/s/${tokenOf(link)}`, { 'Sec-Fetch-Site': 'cross-site' });
    expect([page.status, page.headers['x-robots-tag'], page.headers['cache-control']]).toEqual([
      200,
      'noindex',
      'no-store',
    ]);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).not.toContain('hello');
    const data = await ask(`/api/public/shares/${tokenOf(link)}`);
    expect([data.headers['x-robots-tag'], data.headers['cache-control']]).toEqual(['noindex', 'no-store']);
  });

  it('opens nothing else: not to other sites, not with another method, and the token is no credential', async () => {
    const id = await server.open();
    const { message } = await server.say(id, 'hello');
    const link = await share(id);
    const token = tokenOf(link);
    const data = `/api/public/shares/${token}`;
    expect((await ask(data, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask(data, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await ask(data, { Host: 'evil.example' })).status).toBe(403);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) expect((await ask(data, {}, method)).status).toBe(401);
    const closed = [
      `/api/shares/${token}/copies`,
      '/api/shares',
      '/api/public/shares',
      '/api/public',
      `${data}/x`,
      `${data}/../../sessions`,
      `/api/sessions/${id}`,
      `/api/sessions/${id}/messages`,
      `/api/sessions/${id}/shares`,
      `/api/messages/${message.id}`,
      '/api/events',
    ];
    const attempts: Record<string, string>[] = [
      {},
      { Authorization: `Bearer ${token}` },
      { Cookie: `parley=${token}` },
    ];
    for (const route of closed)
      for (const headers of attempts) expect([route, (await ask(route, headers)).status]).toEqual([route, 401]);
    expect((await ask(`/api/shares/${token}/copies`, {}, 'POST')).status).toBe(401);
    expect((await ask(`${data}?x=1`)).status).toBe(400);
  });

  it('says whether whoever reads is signed in here and may go on from it', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    const route = `/api/public/shares/${tokenOf(await share(id))}`;
    const browser = await signInBrowser(server.parley);
    const canCopy = async (headers: Record<string, string>) => JSON.parse((await ask(route, headers)).body).canCopy;
    expect(await canCopy(browser.headers)).toBe(true);
    expect(await canCopy({ Cookie: browser.cookie, 'Sec-Fetch-Site': 'same-origin' })).toBe(false);
    expect(await canCopy({ Authorization: `Bearer ${server.parley.token}` })).toBe(true);
    expect(await canCopy({})).toBe(false);
    expect(await canCopy({ Cookie: 'parley=guessed' })).toBe(false);
    expect(await canCopy({ Authorization: 'Bearer guessed' })).toBe(false);
  });

  it('is addressed as the browser addresses the server', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    const port = new URL(server.parley.url).port;
    const headers = { Origin: `http://localhost:${port}` };
    const { url } = await server.call('createShare', { params: { sessionId: id }, headers });
    expect(url.startsWith(`http://localhost:${port}/s/`)).toBe(true);
  });

  it('is listed under the address that was given out, whoever asks and however', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    const behindProxy = { Host: 'parley.example', ...bearer(server.parley) };
    const given = { ...behindProxy, Origin: 'https://parley.example', 'Content-Type': 'application/json' };
    const made = await rawRequest(server.parley, 'POST', `/api/sessions/${id}/shares`, given, '{}');
    const { url } = JSON.parse(made.body);
    expect(url).toMatch(/^https:\/\/parley\.example\/s\//);
    // A browser names no origin when it only reads.
    const asked = [behindProxy, { ...behindProxy, 'X-Forwarded-Proto': 'ftp' }, bearer(server.parley)];
    for (const headers of asked) {
      const listed = await ask(`/api/shares?session=${id}`, headers);
      expect(JSON.parse(listed.body).shares.map((one: { url: string }) => one.url)).toEqual([url]);
    }
  });
});

describe('what is deleted', () => {
  it('is not shared any more: a message, its words in the title, a whole session', async () => {
    const id = await server.open();
    const { message } = await server.say(id, 'a rhinoceros');
    const only = await share(id);
    await server.say(id, 'a giraffe');
    const both = await share(id);
    await server.call('deleteMessage', { params: { messageId: message.id } });
    expect(await look(both)).toMatchObject({ title: 'a giraffe' });
    expect(lines(await look(both))).toEqual(['user: a giraffe', 'ada: ada heard: a giraffe']);
    expect((await ask(`/api/public/shares/${tokenOf(only)}`)).status).toBe(404);
    expect(checkDatabase(server.parley.home)).toEqual([]);
    await server.call('deleteSession', { params: { sessionId: id } });
    expect((await ask(`/api/public/shares/${tokenOf(both)}`)).status).toBe(404);
  });

  it('is gone with a clear, too', async () => {
    const id = await server.open();
    await server.say(id, 'hello');
    const link = await share(id);
    await server.call('clearSession', { params: { sessionId: id } });
    expect((await ask(`/api/public/shares/${tokenOf(link)}`)).status).toBe(404);
    expect((await server.call('listShares', { query: { session: id } })).shares).toEqual([]);
  });
});

describe('going on from a share', () => {
  it('makes a session of one’s own, with every word under its name', async () => {
    scripted.answers('bob', [call('todo_list', {})], 'Nothing to do.');
    const id = await server.open('bob');
    await server.say(id, 'what is there?');
    await server.say(id, { content: 'and you?', guest: 'ada' });
    const link = await share(id);
    await server.call('deleteMessage', { params: { messageId: (await server.messages(id)).at(-1)!.id } });
    const again = await share(id);
    const copy = await server.call('copyShare', { params: { token: tokenOf(again) } });
    expect(copy).toMatchObject({ title: 'what is there?', agentId: 'bob', type: 'conversation', forkedFrom: null });
    expect(copy.id).not.toBe(id);
    const said = ['user: what is there?', 'bob: Nothing to do.', 'user: and you?'];
    expect(await server.transcript(copy.id)).toEqual(said);
    await server.say(copy.id, 'go on');
    expect((await server.transcript(copy.id)).slice(-2)).toEqual(['user: go on', 'bob: bob heard: go on']);
    expect(JSON.stringify(server.prompt('bob').slice(1))).not.toContain('todo_list');
    expect((await server.transcript(id)).length).toBe(3);
    const other = await server.call('copyShare', { params: { token: tokenOf(link) } });
    expect(other.id).not.toBe(copy.id);
    expect(checkDatabase(server.parley.home)).toEqual([]);
  });

  it('takes along who gave work to whom, and that there were files', async () => {
    scripted.answers('boss', 'Ada shall. <delegate to="ada">look it up</delegate>', 'So it is.');
    const { id: fileId } = await server.parley.ok<{ id: string }>('POST', '/api/files?name=plan.txt', 'classified');
    const id = await server.open('boss');
    await server.say(id, { content: 'please', files: [fileId] });
    const copy = await server.call('copyShare', { params: { token: tokenOf(await share(id)) } });
    expect(await server.transcript(copy.id)).toEqual(await server.transcript(id));
    await server.say(copy.id, 'thanks');
    const asked = JSON.stringify(server.prompt('boss'));
    expect(asked).toContain('look it up');
    expect(asked).toContain('[Attached file: plan.txt');
    expect(asked).not.toContain('classified');
  });
});

it('an unknown field in the wish is refused', async () => {
  const id = await server.open();
  await server.say(id, 'hello');
  asProblem(
    await server.ask('createShare', { params: { sessionId: id }, body: { everything: true } }),
    'invalid_request',
  );
});
