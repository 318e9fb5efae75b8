import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelMessage } from '../../server/models/types.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { collect, open, REMOTE, request } from './setup.ts';

const [OPENAI, COMPATIBLE, ANTHROPIC] = REMOTE;
const DATA = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const URL = `data:image/png;base64,${DATA}`;

let provider: ScriptedProvider;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());

async function sent(remote: (typeof REMOTE)[number], text: string): Promise<Record<string, unknown>> {
  const message: ModelMessage = { role: 'user', text, images: [{ mediaType: 'image/png', data: DATA }] };
  await collect(open(remote, provider.url), request('', { messages: [message] }));
  return provider.requests.at(-1)!.body;
}

test('OpenAI is sent an image beside the words, or alone', async () => {
  const image = { type: 'input_image', image_url: URL };
  const { input } = await sent(OPENAI, 'look');
  const [, user] = input as { content: unknown }[];
  expect(user!.content).toMatchObject([{ type: 'input_text', text: 'look' }, image]);
  const alone = (await sent(OPENAI, '')).input as { content: unknown }[];
  expect(alone[1]!.content).toMatchObject([image]);
});

test('a compatible server is sent it the way of chat completions', async () => {
  const image = { type: 'image_url', image_url: { url: URL } };
  const asked = async (text: string) => ((await sent(COMPATIBLE, text)).messages as { content: unknown }[])[1]!.content;
  expect(await asked('look')).toEqual([{ type: 'text', text: 'look' }, image]);
  expect(await asked('')).toEqual([image]);
});

test('Anthropic is sent it as a source of its own', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } };
  const asked = async (text: string) => ((await sent(ANTHROPIC, text)).messages as { content: unknown }[])[0]!.content;
  expect(await asked('look')).toMatchObject([{ type: 'text', text: 'look' }, image]);
  expect(await asked('')).toMatchObject([image]);
});
