import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { changesOf, type Draft, toFields } from './draft.ts';

interface Saving {
  /** Null: a new one. */
  readonly of: SessionTemplate | null;
  readonly start: Draft;
  readonly draft: Draft;
}

/** Saves what is new, or what was changed here: what somebody else changed meanwhile stays. Null when it could not. */
export function useSaveTemplate() {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const save = async ({ of, start, draft }: Saving): Promise<SessionTemplate | null> => {
    setBusy(true);
    setProblem(null);
    try {
      const saved = of
        ? await client.patchSessionTemplate(of.id, changesOf(start, draft))
        : await client.createSessionTemplate(toFields(draft));
      await queries.invalidateQueries({ queryKey: ['session-templates'] });
      return saved;
    } catch (error) {
      setProblem(error as Error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { save, isBusy, problem, forget: () => setProblem(null) };
}
