import path from 'node:path';
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  signal?: AbortSignal | undefined;
  /** Is told every so often how long the work has taken so far. */
  onProgress?: ((seconds: number) => void) | undefined;
  everySeconds?: number;
}

/** Has a file of this folder do its work in a thread of its own, and gives what it says. Rejects when it fails. */
export async function runInThread<T>(name: string, data: object, options: ThreadOptions = {}): Promise<T> {
  const { signal, onProgress, everySeconds = 10 } = options;
  // Beside this file, in the same form: sources as they are, or compiled.
  const worker = new Worker(new URL(`./${name}${path.extname(import.meta.url)}`, import.meta.url), {
    workerData: data,
  });
  const began = performance.now();
  const tell = () => onProgress?.(Math.round((performance.now() - began) / 1000));
  const progress = setInterval(tell, everySeconds * 1000);
  try {
    return await answerOf<T>(worker, signal);
  } finally {
    clearInterval(progress);
    await worker.terminate();
  }
}

function answerOf<T>(worker: Worker, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread ended early.')));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export interface CheckRequest {
  file: string;
  /** `quick` leaves out whether indexes agree with their tables, and takes about a third of the time. */
  depth: 'quick' | 'full';
}

/** Checks a database in a thread of its own: what is wrong with it, or nothing. Rejects when it cannot be read. */
export function checkDatabase(request: CheckRequest, options: ThreadOptions = {}): Promise<string[]> {
  return runInThread('check-worker', request, options);
}
