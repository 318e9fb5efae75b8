import { useActionTitle } from '../../state/action-title.ts';
import type { ActionCardProps } from '../../state/slots.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';

/** Not part of the first load. */
export const LazyActionCard = lazyPart(async () => (await import('./action-card.tsx')).ActionCard, {
  failed: PlainAction,
});

/** What is asked, without the means to answer it. */
function PlainAction({ action }: ActionCardProps) {
  return <p className="my-2 font-semibold break-words">{useActionTitle(action)}</p>;
}
