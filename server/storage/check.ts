import path from 'node:path';
import { Worker } from 'node:worker_threads';

// Beside this file, in the same form: sources as they are, or compiled.
const THREAD = new URL(`./check-worker${path.extname(import.meta.url)}`, import.meta.url);

export interface CheckRequest {
  file: string;
  /** `quick` leaves out whether indexes agree with their tables, and takes about a third of the time. */
  depth: 'quick' | 'full';
}

export interface CheckOptions {
  signal?: AbortSignal | undefined;
  /** Is told every so often how long the check has taken so far. */
  onProgress?: ((seconds: number) => void) | undefined;
  everySeconds?: number;
}

/** Checks a database in a thread of its own: what is wrong with it, or nothing. Rejects when it cannot be read. */
export async function checkDatabase(request: CheckRequest, options: CheckOptions = {}): Promise<string[]> {
  const { signal, onProgress, everySeconds = 10 } = options;
  const worker = new Worker(THREAD, { workerData: request });
  const began = performance.now();
  const tell = () => onProgress?.(Math.round((performance.now() - began) / 1000));
  const progress = setInterval(tell, everySeconds * 1000);
  try {
    return await answerOf(worker, signal);
  } finally {
    clearInterval(progress);
    await worker.terminate();
  }
}

function answerOf(worker: Worker, signal: AbortSignal | undefined): Promise<string[]> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check of the database ended early.')));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
