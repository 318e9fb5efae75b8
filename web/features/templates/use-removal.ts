import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { holdKeyboard } from '../../ui/hold-keyboard.ts';
import { notify } from '../../ui/toast.tsx';
import { draftOf, toFields } from './draft.ts';
import { templateProblem } from './template-problem.ts';

/** Deleted at once, everywhere; taking it back makes it anew. */
export function useRemoval() {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [removed, setRemoved] = useState<SessionTemplate | null>(null);
  const [restored, setRestored] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>, onFailure: () => void) => {
    try {
      await work();
      await queries.invalidateQueries({ queryKey: ['session-templates'] });
    } catch (error) {
      onFailure();
      notify({ title: templateProblem(error as Error) });
    }
  };
  const remove = (template: SessionTemplate) => {
    setRemoved(template);
    void attempt(
      () => client.deleteSessionTemplate(template.id),
      () => setRemoved(null),
    );
  };
  const restore = () => {
    const template = removed!;
    holdKeyboard();
    setRemoved(null);
    void attempt(
      async () => setRestored((await client.createSessionTemplate(toFields(draftOf(template)))).id),
      () => setRemoved(template),
    );
  };
  return { removed, restored, remove, restore };
}
