import { open } from 'node:fs/promises';
import { isJsonTooDeep } from '../../contract/json-depth.ts';

const LF = 10;
const PIECE_BYTES = 256 * 1024;
/** Longer lines hold what is not shown: copies of requests, snapshots of files. */
const MAX_LINE_BYTES = 8_000_000;

/**
 * The JSON objects of a file, one per line. Lines that are not JSON are left out: a program that was killed leaves a torn
 * one, and goes on after it.
 */
export async function* readRecords(path: string, upToByte = Number.POSITIVE_INFINITY): AsyncGenerator<unknown> {
  for await (const line of readLines(path, upToByte)) {
    const record = parse(line);
    if (record !== undefined) yield record;
  }
}

/** The first and the last records of a file, as far as they lie in its first and last bytes. */
export async function readEnds(path: string, bytes: number): Promise<{ head: unknown[]; tail: unknown[] }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = await readPiece(file, 0, Math.min(bytes, size));
    const from = Math.max(0, size - bytes);
    const tail = from === 0 ? head : await readPiece(file, from, size - from);
    return { head: wholeLines(head, false), tail: wholeLines(tail, from > 0) };
  } finally {
    await file.close();
  }
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function readPiece(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position });
  return buffer.subarray(0, bytesRead);
}

function wholeLines(piece: Buffer, startsInside: boolean): unknown[] {
  const lines = piece.toString('utf8').split('\n');
  return (startsInside ? lines.slice(1) : lines).map(parse).filter((record) => record !== undefined);
}

async function* readLines(path: string, upToByte: number): AsyncGenerator<string> {
  const file = await open(path, 'r');
  const line = new Line();
  try {
    for (let position = 0; position < upToByte; ) {
      const piece = await readPiece(file, position, Math.min(PIECE_BYTES, upToByte - position));
      if (piece.length === 0) break;
      yield* line.push(piece);
      position += piece.length;
    }
    yield* line.push(Buffer.from('\n'));
  } finally {
    await file.close();
  }
}

/** Puts lines together from pieces; one that is too long is dropped. */
class Line {
  #pieces: Buffer[] = [];
  #size = 0;

  *push(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      this.#add(chunk.subarray(from, at));
      if (this.#size <= MAX_LINE_BYTES) yield Buffer.concat(this.#pieces).toString('utf8');
      this.#pieces = [];
      this.#size = 0;
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  #add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > MAX_LINE_BYTES) this.#pieces = [];
    else this.#pieces.push(piece);
  }
}

function parse(line: string): unknown {
  if (!line.startsWith('{') || isJsonTooDeep(line)) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
