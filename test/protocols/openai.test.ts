import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Action } from '../../contract/actions.ts';
import type { MessageList } from '../../contract/messages.ts';
import type { SessionList } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { callAsTold } from '../suites/calling.ts';

const AGENT = 'wisp/concierge';
let provider: ScriptedProvider;
let parley: Parley;
let client: OpenAI;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const agents = [
    scriptedAgent(provider.url, AGENT, { apiExposed: true }),
    scriptedAgent(provider.url, 'wisp/asker', {
      apiExposed: true,
      toolAllowlist: ['memory_*'],
      approvals: { '*': 'ask' },
    }),
    scriptedAgent(provider.url, 'wisp/hidden'),
  ];
  parley = await Parley.start({ config: { agents } });
  client = new OpenAI({ baseURL: `${parley.url}/v1`, apiKey: parley.token, maxRetries: 2 });
});

afterAll(async () => {
  await parley.close();
  await provider.close();
});

function ask(content: string, more: object = {}) {
  return client.chat.completions.create({ model: AGENT, messages: [{ role: 'user', content }], ...more });
}

async function streamed(content: string, more: object = {}) {
  const stream = await client.chat.completions.create({
    model: AGENT,
    messages: [{ role: 'user', content }],
    stream: true,
    ...more,
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

async function messagesOf(sessionId: string) {
  const { body } = await parley.request<MessageList>('GET', `/api/sessions/${sessionId}/messages`);
  return body.messages.map(({ role, agent, text }) => `${agent ?? role}: ${text}`);
}

async function failure(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  return error as InstanceType<typeof OpenAI.APIError>;
}

test('exposed agents are listed as models, and others are not there', async () => {
  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  expect(models).toEqual([AGENT, 'wisp/asker']);
  expect(await client.models.retrieve(AGENT)).toMatchObject({ id: AGENT, object: 'model' });
  const hidden = await failure(client.models.retrieve('wisp/hidden'));
  expect(hidden).toMatchObject({ status: 404, code: 'model_not_found', type: 'invalid_request_error' });
  const unknown = await failure(ask('hello', { model: 'wisp/hidden' }));
  expect(unknown).toMatchObject({ status: 404, code: 'model_not_found' });
});

test('a chat completion is answered by the agent, with usage', async () => {
  const completion = await ask('good morning [[usage=12/34]]');
  expect(completion).toMatchObject({ object: 'chat.completion', model: AGENT });
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
  expect(completion.choices[0]?.message.content).toContain('good morning');
  expect(completion.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 });
});

test('a streamed completion comes in pieces, with usage when it is asked for', async () => {
  const chunks = await streamed('[[chunks=5 text=abc usage=7/8]]', { stream_options: { include_usage: true } });
  expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
  const pieces = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '');
  expect(pieces.join('').match(/abc/g)).toHaveLength(5);
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 8 } });
  const without = await streamed('hello');
  expect(without.some(({ usage }) => usage)).toBe(false);
});

test('without a session the sent messages are the history, and nothing shows among the sessions of the person', async () => {
  const { body: before } = await parley.request<SessionList>('GET', '/api/sessions');
  const completion = await client.chat.completions.create({
    model: AGENT,
    messages: [
      { role: 'system', content: 'Speak like a pirate.' },
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', name: 'wisp/scheduler', content: 'I keep the calendar.' },
      { role: 'assistant', name: 'user', content: 'And I welcome you.' },
      { role: 'user', content: [{ type: 'text', text: 'What did the scheduler say?' }] },
    ],
  });
  const { session_id: sessionId } = (completion as unknown as { parley: { session_id: string } }).parley;
  const said = await messagesOf(sessionId);
  expect(said[0]).toContain('Speak like a pirate.');
  expect(said.slice(1, 5)).toEqual([
    'user: Who are you?',
    'wisp/scheduler: I keep the calendar.',
    `${AGENT}: And I welcome you.`,
    'user: What did the scheduler say?',
  ]);
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('<from agent=');
  const { body: after } = await parley.request<SessionList>('GET', '/api/sessions');
  expect(after.sessions.map(({ id }) => id)).toEqual(before.sessions.map(({ id }) => id));
});

test('a session id makes it stateful: only what is new is sent on, and the session is an ordinary one', async () => {
  const inSession = { headers: { 'X-Parley-Session': 'api-trip' } };
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'My city is Oslo' }];
  await client.chat.completions.create({ model: AGENT, messages }, inSession);
  messages.push({ role: 'assistant', content: 'whatever the client thinks was said' });
  messages.push({ role: 'user', content: 'Which city?' });
  await client.chat.completions.create({ model: AGENT, messages, metadata: { parley_session: 'api-trip' } });
  expect(await messagesOf('api-trip')).toEqual([
    'user: My city is Oslo',
    `${AGENT}: You said: My city is Oslo`,
    'user: Which city?',
    `${AGENT}: You said: Which city?`,
  ]);
  const { body } = await parley.request<SessionList>('GET', '/api/sessions');
  expect(body.sessions.map(({ id }) => id)).toContain('api-trip');
});

test('a session id that is a path or a reserved name is refused in the header too', async () => {
  for (const id of ['../..', 'a/b', '__proto__', 'constructor', 'x'.repeat(129)]) {
    const inSession = { headers: { 'X-Parley-Session': id } };
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
    expect(await failure(client.chat.completions.create({ model: AGENT, messages }, inSession))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
    });
    expect(await failure(client.responses.create({ model: AGENT, input: 'hi' }, inSession))).toMatchObject({
      status: 400,
    });
  }
});

test('images come as data URLs and become attachments', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
  const image = (url: string) =>
    client.chat.completions.create(
      {
        model: AGENT,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      },
      { headers: { 'X-Parley-Session': 'api-image' } },
    );
  await image(`data:image/png;base64,${png}`);
  const { body } = await parley.request<MessageList>('GET', '/api/sessions/api-image/messages');
  expect(body.messages[0]?.parts).toContainEqual(
    expect.objectContaining({ type: 'file', kind: 'image', name: 'image-1.png' }),
  );
  const remote = await failure(image('https://example.com/cat.png'));
  expect(remote).toMatchObject({ status: 400, param: 'messages[0].content[1].image_url' });
});

test('files come as data URLs and become attachments, in both interfaces', async () => {
  const file_data = `data:text/plain;charset=utf-8;base64,${Buffer.from('The words in it.').toString('base64')}`;
  const file = { filename: 'note.txt', file_data };
  await client.chat.completions.create({
    model: AGENT,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read.' },
          { type: 'file', file },
        ],
      },
    ],
  });
  expect(provider.requests.at(-1)!.said).toContain('The words in it.');
  const { id } = await client.responses.create({
    model: AGENT,
    input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }],
  });
  expect(provider.requests.at(-1)!.said).toContain('note.txt');
  expect(id).toMatch(/^resp_/);
  for (const part of [{ file_id: 'file-1' }, { file_url: 'https://example.com/a.txt' }, { file_data: 'words' }]) {
    const input = [{ role: 'user' as const, content: [{ type: 'input_file' as const, ...part }] }];
    const error = await failure(client.responses.create({ model: AGENT, input }));
    expect([error.status, error.message]).toEqual([400, expect.stringContaining('file_data must be a data URL')]);
  }
});

test('what Parley cannot honour is refused by name', async () => {
  const tool = { type: 'function' as const, function: { name: 'now', parameters: {} } };
  expect(await failure(ask('hi', { tools: [tool] }))).toMatchObject({
    status: 400,
    code: 'unsupported_parameter',
    param: 'tools',
  });
  expect(await failure(ask('hi', { n: 2 }))).toMatchObject({ status: 400, param: 'n' });
  expect(await failure(ask('hi', { response_format: { type: 'json_object' } }))).toMatchObject({
    param: 'response_format',
  });
  await ask('hi', { tools: [], temperature: 0.3, max_tokens: 5 });
});

test('failures have the shape of OpenAI: a wrong key, no messages, a failing model', async () => {
  const stranger = new OpenAI({ baseURL: `${parley.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
  expect(await failure(stranger.models.list().then())).toMatchObject({ status: 401, code: 'invalid_api_key' });
  expect(await failure(client.chat.completions.create({ model: AGENT, messages: [] }))).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
  });
  const before = provider.requests.length;
  const failed = await failure(ask('[[fail=400 message=nonsense]]'));
  expect(failed).toMatchObject({ status: 502, type: 'server_error' });
  expect(provider.requests.length).toBe(before + 1);
  const inStream = await failure(streamed('[[fail=400 message=nonsense]]'));
  expect(inStream.message).toMatch(/\S/);
});

test('a client that leaves stops nothing', async () => {
  const stream = await client.chat.completions.create(
    { model: AGENT, messages: [{ role: 'user', content: '[[chunks=3 hold]]' }], stream: true },
    { headers: { 'X-Parley-Session': 'api-left' } },
  );
  for await (const _ of stream) break;
  stream.controller.abort();
  await provider.release();
  await expect
    .poll(
      async () => (await parley.request<{ turns: Turn[] }>('GET', '/api/sessions/api-left/turns')).body.turns[0]?.state,
    )
    .toBe('complete');
});

test('a response is answered, streamed, read again and continued', async () => {
  const first = await client.responses.create({ model: AGENT, input: 'My city is Oslo [[usage=3/4]]' });
  expect(first).toMatchObject({
    object: 'response',
    status: 'completed',
    usage: { input_tokens: 3, output_tokens: 4 },
  });
  expect(first.output_text).toContain('My city is Oslo');
  expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, status: 'completed' });

  const events: string[] = [];
  let text = '';
  const stream = await client.responses.create({
    model: AGENT,
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Which city?' }] }],
    previous_response_id: first.id,
    stream: true,
  });
  for await (const event of stream) {
    events.push(event.type);
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.completed') expect(event.response.output_text).toBe(text);
  }
  expect(text).toBe('You said: Which city?');
  expect(events[0]).toBe('response.created');
  expect(events.at(-1)).toBe('response.completed');
  const said = await messagesOf((first.metadata as Record<string, string>).parley_session!);
  expect(said).toHaveLength(4);
});

test('a response is gone on from, the newest and an older one, and deleted', async () => {
  provider.script(({ said }) => ({ steps: [{ kind: 'text', text: `Heard ${said.split('\n').at(-1)}` }] }));
  const first = await client.responses.create({ model: AGENT, input: 'one' });
  const second = await client.responses.create({ model: AGENT, input: 'two', previous_response_id: first.id });
  const other = await client.responses.create({ model: AGENT, input: 'three', previous_response_id: first.id });
  const sentWith = (words: string) =>
    JSON.stringify(provider.requests.findLast(({ said }) => said.includes(words))!.body);
  expect(sentWith('two')).toContain('Heard one');
  expect(sentWith('three')).toContain('Heard one');
  expect(sentWith('three')).not.toContain('Heard two');
  const further = await client.responses.create({ model: AGENT, input: 'four', previous_response_id: second.id });
  expect(sentWith('four')).toContain('Heard two');
  expect(sentWith('four')).not.toContain('Heard three');
  for (const { id } of [second, other, further, first]) await client.responses.delete(id);
  for (const { id } of [first, other]) expect((await failure(client.responses.retrieve(id))).status).toBe(404);
  const { parley_session: session } = first.metadata as { parley_session: string };
  expect((await parley.request('GET', `/api/sessions/${session}`)).status).toBe(404);
});

test('what a response answers is read again, page by page, also of an older branch', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
  const image = { type: 'input_image' as const, detail: 'auto' as const, image_url: `data:image/png;base64,${png}` };
  const content = [{ type: 'input_text' as const, text: 'one' }, image];
  const first = await client.responses.create({ model: AGENT, input: [{ role: 'user', content }] });
  const second = await client.responses.create({ model: AGENT, input: 'two', previous_response_id: first.id });
  await client.responses.create({ model: AGENT, input: 'three', previous_response_id: first.id });
  const items = [];
  for await (const item of client.responses.inputItems.list(second.id, { order: 'asc', limit: 2 })) items.push(item);
  expect(items).toMatchObject([
    { role: 'user', content: [{ type: 'input_text', text: 'one' }, { type: 'input_image' }] },
    { role: 'assistant', id: first.output[0]!.id, content: [{ type: 'output_text', text: first.output_text }] },
    { role: 'user', content: [{ type: 'input_text', text: 'two' }] },
  ]);
  const { image_url: address } = (items[0] as { content: { image_url?: string }[] }).content[1]!;
  expect((await fetch(address!)).status).toBe(401);
  expect((await fetch(address!, { headers: { Authorization: `Bearer ${parley.token}` } })).status).toBe(200);
  const newest = await client.responses.inputItems.list(second.id, { limit: 1 });
  expect([newest.data, newest.has_more]).toMatchObject([[{ content: [{ text: 'two' }] }], true]);
  expect((await failure(client.responses.inputItems.list('resp_made-up'))).status).toBe(404);
  expect((await failure(client.responses.inputItems.list(second.id, { after: 'msg_made-up' }))).status).toBe(400);
});

test('in an ordinary session a response is gone on from at the end, and the session stays', async () => {
  const conversation = 'people-see-this';
  const first = await client.responses.create({ model: AGENT, input: 'one', conversation });
  await parley.say(conversation, { content: 'A word of the person.' });
  await client.responses.create({ model: AGENT, input: 'two', previous_response_id: first.id });
  expect(JSON.stringify(provider.requests.at(-1)!.body)).toContain('A word of the person.');
  await client.responses.delete(first.id);
  expect(await messagesOf(conversation)).toHaveLength(4);
});

test('too many wrong keys are refused in the shape of OpenAI, with the time to wait', async () => {
  const wrong = new OpenAI({ baseURL: `${parley.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
  const errors = [];
  for (let count = 0; count < 40; count++) errors.push(await failure(wrong.models.list()));
  expect([errors[0]!.status, errors[0]!.code]).toEqual([401, 'invalid_api_key']);
  const last = errors.at(-1)!;
  expect([last.status, last.type, last.headers?.get('retry-after')]).toEqual([
    429,
    'rate_limit_error',
    expect.anything(),
  ]);
});

test('a response in the background can be read while it is made, and stopped', async () => {
  const held = gate();
  provider.script(() => ({ steps: [...text('Half'), { kind: 'gate', until: held.until }] }));
  const begun = await client.responses.create({ model: AGENT, input: 'Hello', background: true });
  expect(['queued', 'in_progress']).toContain(begun.status);
  const stopped = await client.responses.cancel(begun.id);
  expect(stopped.status).toBe('cancelled');
  held.open();
  expect(await failure(client.responses.retrieve('resp_nothing'))).toMatchObject({ status: 404 });
});

test('what agents do that are not exposed is out of reach', async () => {
  const { id } = await parley.createSession({ agentId: 'wisp/hidden' });
  const { turn } = await parley.say(id, { content: 'A private plan.' });
  const response = `resp_${turn.id}`;
  const input = 'And then?';
  for (const work of [
    client.responses.retrieve(response),
    client.responses.cancel(response),
    client.responses.create({ model: AGENT, input, previous_response_id: response }),
  ])
    expect(await failure(work)).toMatchObject({ status: 404, code: 'turn_not_found' });
  for (const headers of [{ 'X-Parley-Session': id }, {}]) {
    const conversation = 'X-Parley-Session' in headers ? {} : { conversation: id };
    const work = client.responses.create({ model: AGENT, input, ...conversation }, { headers });
    expect(await failure(work)).toMatchObject({ status: 403, code: 'agent_not_exposed' });
  }
  expect(await messagesOf(id)).toHaveLength(2);
});

test('a turn that waits for the person keeps the stream open until they answer', async () => {
  provider.script(callAsTold);
  const session = { headers: { 'X-Parley-Session': 'api-approval' } };
  const stream = await client.chat.completions.create(
    {
      model: 'wisp/asker',
      messages: [{ role: 'user', content: 'call memory_save {"text":"Oslo","topic":"city"}' }],
      stream: true,
    },
    session,
  );
  const reading = (async () => {
    let finish = '';
    for await (const chunk of stream) finish = chunk.choices[0]?.finish_reason ?? finish;
    return finish;
  })();
  const approval = async () => {
    const { body } = await parley.request<{ actions: Action[] }>('GET', '/api/actions');
    return body.actions.find(({ sessionId }) => sessionId === 'api-approval');
  };
  await expect.poll(approval).toMatchObject({ kind: 'approval' });
  await parley.request('POST', `/api/actions/${(await approval())!.id}/answer`, { decision: 'deny' });
  expect(await reading).toBe('stop');
});

test('a message that has passed through too many servers is refused', async () => {
  const round = { headers: { 'Parley-Hops': '9' } };
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hello' }];
  const refused = await failure(
    client.chat.completions.create({ model: AGENT, messages }, { ...round, maxRetries: 0 }),
  );
  expect(refused).toMatchObject({ status: 508, code: 'too_many_hops' });
});
