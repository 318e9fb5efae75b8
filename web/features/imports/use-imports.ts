import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ProgramSession } from '../../../contract/program-sessions.ts';
import { useLiveConnection } from '../../live/use-live.ts';

/** Programs may use the same id. */
export function keyOf({ program, id }: ProgramSession): string {
  return `${program} ${id}`;
}

/** Kept apart from the list: what can no longer be read is not in the list any more. */
export interface ImportFailure {
  readonly key: string;
  readonly title: string;
  readonly message: string;
}

export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** Imports sessions one after the other. What could not be imported is told and keeps none of the others back. */
export function useImports(onImported: (session: ProgramSession, sessionId: string) => void) {
  const live = useLiveConnection();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [failures, setFailures] = useState<readonly ImportFailure[]>([]);
  const isStopped = useRef(false);
  const importOne = async (session: ProgramSession) => {
    try {
      const made = await live.client.call('importProgramSession', { body: { from: session.program, id: session.id } });
      live.note(made);
      onImported(session, made.id);
      return made.id;
    } catch (error) {
      const { message } = error as Error;
      setFailures((before) => [...before, { key: keyOf(session), title: session.title, message }]);
      return null;
    }
  };
  const run = async (sessions: readonly ProgramSession[]): Promise<string[]> => {
    isStopped.current = false;
    setFailures([]);
    const made: string[] = [];
    for (const [at, session] of sessions.entries()) {
      if (isStopped.current) break;
      setProgress({ done: at, of: sessions.length });
      const id = await importOne(session);
      if (id !== null) made.push(id);
    }
    setProgress(null);
    await queries.invalidateQueries({ queryKey: ['programSessions'] });
    return made;
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { progress, failures, run, stop };
}
