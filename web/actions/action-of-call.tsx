import { useLive } from '../live/use-live.ts';
import { ActionCard } from './action-card.tsx';

/** What a call waits for, where it waits. */
export function ActionOfCall({ actionId }: { actionId: string }) {
  const action = useLive((state) => state.actions.get(actionId));
  return action ? <ActionCard action={action} /> : null;
}
