import type { Action } from '../../contract/actions.ts';
import { useLive } from '../live/use-live.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useActionTitle } from './action-title.ts';

const ActionCard = lazyPart(async () => (await import('./action-card.tsx')).ActionCard, { failed: PlainAction });

/** Fetches the code of action cards before one is needed: it is not part of the first load. */
export function preloadActions(): void {
  void ActionCard.preload().catch(() => undefined);
}

interface Props {
  action: Action;
  /** It is asked in another session, on behalf of a turn in the one that is shown. */
  isElsewhere?: boolean;
  /** Of its heading: cards in a conversation stand right below the title of the page. */
  level?: 2 | 3;
}

export function ActionSlot(props: Props) {
  return <ActionCard {...props} />;
}

/** What is asked, without the means to answer it. */
function PlainAction({ action }: Props) {
  return <p className="my-2 font-semibold break-words">{useActionTitle(action)}</p>;
}

/** What a tool call waits for, where the call stands. */
export function ActionOfCall({ actionId }: { actionId: string }) {
  const action = useLive((state) => state.actions.get(actionId));
  return action ? <ActionSlot action={action} /> : null;
}
