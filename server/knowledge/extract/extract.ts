import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../processes/child.ts';
import type { ProcessRegistry } from '../../processes/registry.ts';
import type { ExtractReply, ExtractRequest } from './protocol.ts';

// Beside this file, in the same form: sources as they are, or compiled.
const PROGRAM = fileURLToPath(new URL(`./extract-child${path.extname(import.meta.url)}`, import.meta.url));

/** Reads a file in a process of its own. The last reply is `done` or `failed`, unless the process was killed. */
export async function* extract(
  request: ExtractRequest,
  registry: ProcessRegistry,
  signal: AbortSignal,
): AsyncGenerator<ExtractReply> {
  const child = await startChild({ command: process.execPath, args: [PROGRAM], env: {}, signal, registry });
  try {
    await child.write(JSON.stringify(request));
    child.closeInput();
    yield* repliesOf(child);
    signal.throwIfAborted();
  } finally {
    await child.stop();
  }
}

async function* repliesOf(child: Child): AsyncGenerator<ExtractReply> {
  for await (const line of child.lines) {
    // Libraries may print warnings of their own.
    if (line.startsWith('{"type":')) yield JSON.parse(line) as ExtractReply;
  }
}
