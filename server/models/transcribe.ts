import { redact } from './clean-message.ts';
import { networkFailure } from './network-failure.ts';

export interface Transcriber {
  base: URL;
  model: string;
  apiKey: string | undefined;
  language: string | undefined;
}

/** What went wrong, in words for the person. */
export class TranscriptionFailure extends Error {}

const MOST_ANSWER_BYTES = 1_000_000;

/** Has what was spoken written down, by any server that speaks OpenAI's API for it. */
export async function transcribe(
  to: Transcriber,
  speech: { bytes: Uint8Array; mediaType: string },
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(to.base);
  url.pathname += '/audio/transcriptions';
  const headers: Record<string, string> = to.apiKey === undefined ? {} : { Authorization: `Bearer ${to.apiKey}` };
  try {
    // A redirect is not followed: it would carry the key to another origin.
    const answer = await fetch(url, { method: 'POST', headers, body: formOf(to, speech), redirect: 'manual', signal });
    return textIn(answer, await readBounded(answer));
  } catch (error) {
    throw failureOf(error, to, signal);
  }
}

function formOf({ model, language }: Transcriber, { bytes, mediaType }: { bytes: Uint8Array; mediaType: string }) {
  const form = new FormData();
  const name = `speech.${EXTENSIONS[mediaType] ?? 'webm'}`;
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType }), name);
  form.append('model', model);
  form.append('response_format', 'json');
  if (language) form.append('language', language);
  return form;
}

/** Servers go by the name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mp4': 'mp4',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/flac': 'flac',
};

async function readBounded(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_ANSWER_BYTES) throw new TranscriptionFailure('The response is too long to be a transcript.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function textIn(answer: Response, body: string): string {
  if (answer.status === 401 || answer.status === 403) throw new TranscriptionFailure('It rejected the API key.');
  if (answer.status === 404) throw new TranscriptionFailure("It doesn't know the model, or baseUrl is wrong.");
  if (!answer.ok) throw new TranscriptionFailure(`It answered with status ${answer.status}.`);
  const { text } = parse(body);
  if (typeof text !== 'string') throw new TranscriptionFailure('The response is not a transcript.');
  return text.trim();
}

function parse(body: string): { text?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

function failureOf(error: unknown, { base, apiKey }: Transcriber, signal: AbortSignal): unknown {
  if (error instanceof TranscriptionFailure) return error;
  if (signal.aborted) return new TranscriptionFailure('It took too long.');
  const secrets = apiKey === undefined ? [] : [apiKey];
  const { message } = networkFailure(error, { name: 'it', origin: base.origin, secrets });
  return new TranscriptionFailure(redact(message, secrets));
}
