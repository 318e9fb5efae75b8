import { createInterface } from 'node:readline';

type Json = Record<string, unknown>;

/** Records from the input, one after the other; `onRecord` is not waited for. */
export function readRecords(onRecord: (record: Json) => void): void {
  createInterface({ input: process.stdin })
    .on('line', (line) => onRecord(JSON.parse(line)))
    .on('close', () => process.exit(0));
}

export function put(record: Json): void {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

/** Questions that wait for an answer, by their id. */
export class Questions {
  readonly #waiting = new Map<string, (answer: Json) => void>();

  wait(id: string): Promise<Json> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  answer(id: string, answer: Json): void {
    this.#waiting.get(id)?.(answer);
  }
}

export function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
