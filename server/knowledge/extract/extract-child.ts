import path from 'node:path';
import { json } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { ExtractReply, ExtractRequest } from './protocol.ts';

/**
 * A process of its own that reads one file: what is in the file can at worst end this process. A thread does the work,
 * so that this one can watch how much memory it takes, heap or not.
 */

const LOOK_EVERY_MS = 50;

const request = (await json(process.stdin)) as ExtractRequest;
// Beside this file, in the same form: sources as they are, or compiled.
const worker = new Worker(new URL(`./extract-worker${path.extname(import.meta.url)}`, import.meta.url), {
  workerData: request,
  resourceLimits: { maxOldGenerationSizeMb: Math.ceil(request.memoryBytes / 1_000_000) },
});
worker.on('message', (reply: ExtractReply) => (reply.type === 'passages' ? tell(reply) : end(reply)));
worker.on('error', (error: NodeJS.ErrnoException) =>
  end({ type: 'failed', problem: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too_much_memory' : 'unreadable' }),
);
worker.on('exit', () => end({ type: 'failed', problem: 'unreadable' }));
setInterval(() => {
  // The server was killed: nothing reads the answer. It can have been killed before this process got to its first line.
  if (process.ppid !== request.serverPid) process.exit();
  if (process.memoryUsage.rss() > request.memoryBytes) end({ type: 'failed', problem: 'too_much_memory' });
}, LOOK_EVERY_MS);

function end(reply: ExtractReply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`, () => process.exit());
}

function tell(reply: ExtractReply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
