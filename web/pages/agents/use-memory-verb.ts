import { useQueryClient } from '@tanstack/react-query';
import { AppError } from '../../../contract/errors.ts';
import { serverText } from '../../i18n/text.ts';
import { notify } from '../../ui/toast.tsx';

/** Does something to memories and reads them again; says what went wrong. */
export function useMemoryVerb(): (work: () => Promise<unknown>) => Promise<boolean> {
  const queries = useQueryClient();
  return async (work) => {
    try {
      await work();
      return true;
    } catch (error) {
      notify({ title: problemText(error as Error) });
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: ['memories'] });
    }
  };
}

export function problemText(error: Error): string {
  return error instanceof AppError ? serverText(error.issues?.[0] ?? error.message, error.text) : error.message;
}
