import { runInThread, type ThreadOptions } from './thread.ts';

export interface CheckRequest {
  file: string;
  /** `quick` leaves out whether indexes agree with their tables, and takes about a third of the time. */
  depth: 'quick' | 'full';
}

/** Checks a database in a thread of its own: what is wrong with it, or nothing. Rejects when it cannot be read. */
export function checkDatabase(request: CheckRequest, options: ThreadOptions = {}): Promise<string[]> {
  return runInThread('check-worker', request, options);
}
