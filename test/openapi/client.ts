/**
 * A client made only from what the server says about itself: `node client.ts URL TOKEN` creates a session, sends a message,
 * reads the stream of another one and prints what it got. openapi.test.ts generates the types, checks this file with
 * them and runs it.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

type Frame = components['schemas']['WireFrame'];

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

const created = await client.POST('/api/sessions', { body: { agentId: 'team/ada' } });
const sessionId = created.data?.id ?? '';
const path = { sessionId };

const sent = await client.POST('/api/sessions/{sessionId}/messages', {
  params: { path, query: { wait: 10 } },
  body: { content: 'hello' },
});
const streamed = await client.POST('/api/sessions/{sessionId}/messages', {
  params: { path },
  body: { content: 'hello again' },
  headers: { Accept: 'text/event-stream' },
  parseAs: 'stream',
});
const frames = await readFrames(streamed.data);
const agent = await client.GET('/api/agents/{agentId}', { params: { path: { agentId: 'team/ada' } } });
const missing = await client.GET('/api/sessions/{sessionId}', { params: { path: { sessionId: 'nothing' } } });

// @ts-expect-error A message's content is text.
const wrongContent = () => client.POST('/api/stream', { body: { agent: 'team/ada', content: 5 } });
// @ts-expect-error There is no such path.
const wrongPath = () => client.GET('/api/sesions');

console.log(
  JSON.stringify({
    turn: sent.data && 'turns' in sent.data ? sent.data.turn.state : null,
    types: frames.map(({ type }) => type),
    text: frames.flatMap((frame) => (frame.type === 'delta' ? [frame.text] : [])).join(''),
    answer: frames.flatMap((frame) => (frame.type === 'message.created' ? [frame.message.text] : [])).join(''),
    agent: agent.data?.agentId,
    problem: missing.error?.code,
    checked: [wrongContent, wrongPath].length,
  }),
);

async function readFrames(stream: unknown): Promise<Frame[]> {
  if (!(stream instanceof ReadableStream)) throw new Error('no stream came back');
  const text = await new Response(stream).text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']): Frame => JSON.parse(json));
}
