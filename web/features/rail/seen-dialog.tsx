import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Turn } from '../../../contract/turns.ts';
import { clockTime } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgentNames } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  sessionId: string;
  turnId: string;
  onTurn(turnId: string): void;
  onClose(): void;
}

/** The request that was built for a turn, word for word. Names the agent; another turn can be chosen. */
export function SeenDialog({ sessionId, turnId, onTurn, onClose }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const { data } = useQuery({ queryKey: ['seen', turnId], queryFn: () => client.call('seenByTurn', { turnId }) });
  return (
    <Dialog open onClose={onClose} title={text('rail.seen')} wide>
      <TurnChoice sessionId={sessionId} turnId={turnId} onTurn={onTurn} />
      {data?.steps.length === 0 && <p className="text-fg-2">{text('rail.seenPruned')}</p>}
      {data?.steps.map((step) => (
        <section key={step.step} className="mb-4">
          <h3 className="mb-1 font-semibold">
            {text('rail.step', { number: step.step + 1, tokens: step.estimatedTokens })}
          </h3>
          <Said who="system" words={step.system} />
          {step.messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was seen does not change
            <Said key={index} who={message.role} words={message.text} />
          ))}
        </section>
      )) ?? <p className="text-fg-3">{text('app.loading')}</p>}
    </Dialog>
  );
}

function TurnChoice({ sessionId, turnId, onTurn }: Omit<Props, 'onClose'>) {
  const text = useText();
  const turns = useBegun(sessionId);
  const nameOf = useAgentNames();
  return (
    <label className="mb-3 flex items-center gap-2 text-xs text-fg-2">
      {text('rail.turn')}
      <select
        value={turnId}
        onChange={({ target }) => onTurn(target.value)}
        className="h-8 min-w-0 flex-1 rounded-md border border-line bg-surface px-2 text-sm text-fg touch:h-11"
      >
        {turns.map((turn) => (
          <option key={turn.id} value={turn.id}>
            {nameOf(turn.agentId)} · {clockTime(turn.startedAt)}
            {turn.asked && ` · ${turn.asked}`}
          </option>
        ))}
      </select>
    </label>
  );
}

interface Begun {
  id: string;
  agentId: string;
  startedAt: string;
  /** The beginning of the message it answers. */
  asked: string;
}

/** Turns that have started, newest first: a queued turn has not been shown anything yet. */
function useBegun(sessionId: string): Begun[] {
  const turns = useLive(({ states }) => states.get(sessionId)?.turns);
  const messages = useLive(({ states }) => states.get(sessionId)?.messages);
  return useMemo(() => {
    const begun = [...(turns?.values() ?? [])].filter(hasStarted).sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    return begun.map(({ id, agentId, startedAt, messageId }) => ({
      id,
      agentId,
      startedAt,
      asked: (messages?.get(messageId)?.text ?? '').slice(0, 60),
    }));
  }, [turns, messages]);
}

function hasStarted(turn: Turn): turn is Turn & { startedAt: string } {
  return turn.startedAt !== null;
}

function Said({ who, words }: { who: string; words: string }) {
  return (
    <div className="mb-2 rounded-md border border-line p-2">
      <p className="text-2xs text-fg-3">{who}</p>
      <pre className="max-h-60 overflow-auto font-mono text-xs whitespace-pre-wrap">{revealHidden(words)}</pre>
    </div>
  );
}
