import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Parley } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { asProblem } from './test-server.ts';

const KEY = 'sk-test-voice-0123456789';
const LIMIT = 50_000;
const SOUND = Buffer.from('not really sound');

interface Heard {
  path: string;
  authorization: string | undefined;
  form: FormData;
}

/** Somebody who writes down what a test wants. */
class Listener {
  readonly heard: Heard[] = [];
  readonly #server: Server;
  answer: (response: ServerResponse) => void = () => {};

  constructor() {
    this.#server = createServer((request, response) => void this.#listen(request, response));
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const type = String(request.headers['content-type']);
    const form = await new Response(Buffer.concat(chunks), { headers: { 'Content-Type': type } }).formData();
    this.heard.push({ path: request.url ?? '', authorization: request.headers.authorization, form });
    this.answer(response);
  }
}

const says =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

let listener: Listener;
let url: string;
let parley: Parley;
beforeAll(async () => {
  listener = new Listener();
  url = await listener.open();
  const transcription = { baseUrl: `${url}/v1/`, model: 'whisper-9', apiKey: '${VOICE_KEY}', language: 'de' };
  const limits = { fileBytes: LIMIT, firstTokenMs: 2000 };
  parley = await Parley.start({ config: { agents: [], voice: { transcription }, limits }, env: { VOICE_KEY: KEY } });
});
beforeEach(() => {
  listener.heard.length = 0;
  listener.answer = says(200, '{"text":" Guten Tag. "}');
});
afterAll(async () => {
  await parley.close();
  listener.close();
});

async function send(sound: Uint8Array | string, type = 'audio/webm;codecs=opus', to = parley) {
  const response = await fetch(`${to.url}/api/transcriptions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${to.token}`, 'Content-Type': type },
    body: Buffer.from(sound),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('what is spoken', () => {
  it('comes back as text, from whom the configuration names, in the form it takes', async () => {
    expect(await send(SOUND)).toMatchObject({ status: 200, body: { text: 'Guten Tag.' } });
    const [{ path, authorization, form }] = listener.heard as [Heard];
    expect([path, authorization]).toEqual(['/v1/audio/transcriptions', `Bearer ${KEY}`]);
    expect([form.get('model'), form.get('response_format'), form.get('language')]).toEqual(['whisper-9', 'json', 'de']);
    const file = form.get('file') as File;
    expect([file.name, file.type]).toEqual(['speech.webm', 'audio/webm']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(SOUND);
    expect((await parley.ok<{ features: object }>('GET', '/api/configuration')).features).toEqual({
      transcription: true,
    });
  });

  it('is named after its type, which servers go by', async () => {
    for (const [type, name] of [
      ['audio/mp4', 'speech.mp4'],
      ['audio/ogg; codecs=opus', 'speech.ogg'],
      ['audio/mpeg', 'speech.mp3'],
      ['audio/wav', 'speech.wav'],
      ['audio/x-unheard-of', 'speech.webm'],
    ] as const) {
      await send(SOUND, type);
      expect((listener.heard.at(-1)!.form.get('file') as File).name).toBe(name);
    }
  });

  it('may be as long as is allowed, not a byte longer, not nothing, and no other thing', async () => {
    expect((await send(Buffer.alloc(LIMIT, 1))).status).toBe(200);
    asProblem(await send(Buffer.alloc(LIMIT + 1, 1)), 'file_too_large');
    asProblem(await send(''), 'file_empty');
    asProblem(await send(SOUND, 'application/json'), 'unsupported_media_type');
    asProblem(await send(SOUND, 'multipart/form-data; boundary=x'), 'unsupported_media_type');
    const headers = { Host: new URL(parley.url).host, Authorization: `Bearer ${parley.token}` };
    const chunked = { ...headers, 'Content-Type': 'audio/webm', 'Transfer-Encoding': 'chunked' };
    const unsaid = await rawRequest(parley, 'POST', '/api/transcriptions', chunked, 'x'.repeat(LIMIT + 1));
    expect([unsaid.status, JSON.parse(unsaid.body).code]).toEqual([413, 'file_too_large']);
    expect(listener.heard.length).toBe(1);
  });

  it('that cannot be written down says why, and never the key', async () => {
    const cases: [answer: (response: ServerResponse) => void, words: RegExp][] = [
      [says(401, `{"error":{"message":"bad key ${KEY}"}}`), /rejected the API key/],
      [says(404, '{}'), /doesn't know the model/],
      [says(500, `<html>${KEY}</html>`), /status 500/],
      [says(200, 'not json'), /not a transcript/],
      [says(200, '{"text":7}'), /not a transcript/],
      [says(200, 'null'), /not a transcript/],
      [says(200, `{"text":"${'x'.repeat(1_000_001)}"}`), /too long to be a transcript/],
      [says(302, '', { location: 'http://169.254.169.254/' }), /status 302/],
      [(response) => void response.destroy(), /Lost the connection/],
      [() => {}, /too long/],
    ];
    for (const [answer, words] of cases) {
      listener.answer = answer;
      const problem = asProblem(await send(SOUND), 'transcription_failed');
      expect(problem.detail).toMatch(words);
      expect(JSON.stringify(problem)).not.toContain(KEY);
    }
    expect(listener.heard.length).toBe(cases.length);
  });
});

describe('without anybody who writes it down', () => {
  async function with_(config: object, look: (server: Parley) => Promise<void>): Promise<void> {
    const server = await Parley.start({ config: { agents: [], ...config } });
    await look(server).finally(() => server.close());
  }

  const features = async (server: Parley) =>
    (await server.ok<{ features: object }>('GET', '/api/configuration')).features;

  it('says so, and what to set', async () => {
    await with_({}, async (server) => {
      expect(await features(server)).toEqual({ transcription: false });
      const problem = asProblem(await send(SOUND, 'audio/webm', server), 'transcription_not_configured');
      expect(problem.detail).toContain('voice.transcription');
    });
  });

  it('says which variable is missing', async () => {
    const transcription = { baseUrl: url, model: 'x', apiKey: '${NO_SUCH_KEY}' };
    await with_({ voice: { transcription } }, async (server) => {
      expect(await features(server)).toEqual({ transcription: false });
      const problem = asProblem(await send(SOUND, 'audio/webm', server), 'transcription_not_configured');
      expect(problem.detail).toContain('NO_SUCH_KEY');
    });
    expect(listener.heard).toEqual([]);
  });

  it('needs no key where none is asked for', async () => {
    await with_({ voice: { transcription: { baseUrl: url, model: 'x' } } }, async (server) => {
      expect((await send(SOUND, 'audio/webm', server)).body).toEqual({ text: 'Guten Tag.' });
    });
    expect([listener.heard[0]!.path, listener.heard[0]!.authorization]).toEqual([
      '/v1/audio/transcriptions',
      undefined,
    ]);
  });
});
