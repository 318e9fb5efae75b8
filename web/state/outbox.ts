import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { Live } from '../live/live.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { deviceMemory } from './device-memory.ts';
import { settleDeletions } from './message-deletions.ts';
import { Outbox, type Outgoing, type SendingState } from './sending.ts';

const outboxes = new WeakMap<Live, Outbox>();

export function outboxOf(live: Live): Outbox {
  const known = outboxes.get(live);
  if (known) return known;
  const sendMessage: Live['client']['sendMessage'] = async (sessionId, ...rest) => {
    await settleDeletions(live, sessionId);
    return live.client.sendMessage(sessionId, ...rest);
  };
  const outbox = new Outbox({ client: { sendMessage }, store: live.store }, deviceMemory);
  outboxes.set(live, outbox);
  return outbox;
}

/**
 * Messages of a session that are shown at the end of the transcript until the conversation has them: on their way, or
 * just accepted. Those that stand in line, wait for the connection or were refused are shown by the composer.
 */
export function useOutbox(sessionId: string): readonly Outgoing[] {
  return useOutgoing(sessionId, isInTranscript);
}

export function useWaitingInLine(sessionId: string): readonly Outgoing[] {
  return useOutgoing(sessionId, isInLine);
}

export function useUnsent(sessionId: string): readonly Outgoing[] {
  return useOutgoing(sessionId, isUnsent);
}

function useOutgoing(sessionId: string, isWanted: (one: Outgoing) => boolean): readonly Outgoing[] {
  const { store } = outboxOf(useLiveConnection());
  return useStore(
    store,
    useShallow((all) => all.filter((one) => one.sessionId === sessionId && isWanted(one))),
  );
}

function isInTranscript({ place, state }: Outgoing): boolean {
  return place === 'transcript' && isOnItsWay(state);
}

function isInLine({ place, state }: Outgoing): boolean {
  return place === 'queue' && isOnItsWay(state);
}

function isUnsent({ state }: Outgoing): boolean {
  return !isOnItsWay(state);
}

function isOnItsWay(state: SendingState): boolean {
  return state === 'sending' || state === 'sent';
}
