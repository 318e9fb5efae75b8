import { useState } from 'react';
import type { ShareClient } from '../../../client/share-client.ts';
import { AppError } from '../../../contract/errors.ts';
import type { TextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { stateOf } from './use-reading.ts';

interface Props {
  client: ShareClient;
  token: string;
  canCopy: boolean;
  /** Offered once more: where one has come to the end. */
  again?: boolean;
}

/** Whoever is signed in here makes a session of their own of it; everybody else is told how one would. */
export function GoOn({ client, token, canCopy, again = false }: Props) {
  const text = useText();
  const { problem, isBusy, copy } = useCopying(client, token);
  if (!canCopy) return <p className="mt-3 text-fg-2 print:hidden">{text('shared.signInHint')}</p>;
  return (
    <div className="mt-3 print:hidden">
      <Button look={again ? 'outline' : 'primary'} disabled={isBusy} onClick={copy}>
        {text(isBusy ? 'shared.copying' : 'shared.copy')}
      </Button>
      {!again && <p className="mt-1 text-xs text-fg-3">{text('shared.copyHint')}</p>}
      <p role="alert" className="mt-1 text-danger empty:hidden">
        {problem && text(problem)}
      </p>
    </div>
  );
}

function useCopying(client: ShareClient, token: string) {
  const [problem, setProblem] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const copy = () => {
    setBusy(true);
    setProblem(null);
    client.copyShare(token).then(
      ({ id }) => location.assign(`/sessions/${encodeURIComponent(id)}`),
      (error: unknown) => {
        setBusy(false);
        setProblem(problemOf(error));
      },
    );
  };
  return { problem, isBusy, copy };
}

function problemOf(error: unknown): TextKey {
  if (error instanceof AppError && error.code === 'unauthorized') return 'shared.signInHint';
  return stateOf(error) === 'nowhere' ? 'shared.nowhereHint' : 'shared.failedHint';
}
