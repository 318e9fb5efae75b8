import { Terminal, Users } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '../../../contract/sessions.ts';
import { builtInText, unavailableReason, useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { cx } from '../../ui/cx.ts';
import { COMMANDS } from './commands.ts';
import { nearestFirst, type Suggestion, type Suggestions, suggest } from './suggestions.ts';
import type { Writing } from './use-writing.ts';

export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

interface Props {
  id: string;
  offer: Offer;
  onTake(suggestion: Suggestion): void;
}

/** Over the box, operated from it: the focus stays where the person writes. */
export function SuggestionList({ id, offer, onTake }: Props) {
  const text = useText();
  const active = useRef<HTMLDivElement>(null);
  const items = offer.list?.items ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen, so it has to be seen
  useEffect(() => {
    active.current?.scrollIntoView({ block: 'nearest' });
  }, [offer.active]);
  return (
    <div
      id={id}
      role="listbox"
      aria-label={text('composer.suggestions')}
      className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-72 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-float"
    >
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which keeps the focus
        // biome-ignore lint/a11y/useFocusableInteractive: named to the box as its active descendant
        <div
          key={item.key}
          id={optionId(id, index)}
          ref={index === offer.active ? active : null}
          role="option"
          aria-selected={index === offer.active}
          onMouseMove={() => index !== offer.active && offer.point(index)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(item)}
          className={cx(
            'flex min-h-9 touch:min-h-11 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1',
            index === offer.active && 'bg-hover',
          )}
        >
          <Face item={item} />
        </div>
      ))}
    </div>
  );
}

function Face({ item }: { item: Suggestion }) {
  const text = useText();
  switch (item.kind) {
    case 'agent': {
      const { agentId, displayName, description, available } = item.agent;
      const reason = available ? null : (unavailableReason(item.agent) ?? text('composer.unavailable'));
      return (
        <>
          <AgentTile agentId={agentId} agent={item.agent} />
          <Words name={displayName} detail={agentId} about={reason ?? builtInText(description)} isOff={!available} />
        </>
      );
    }
    case 'everyone':
      return (
        <>
          <Users size={16} className="mx-0.5 flex-none text-fg-3" />
          <Words name={text('composer.everyone')} detail="all" about={text('composer.everyoneAbout')} />
        </>
      );
    case 'command': {
      const takes = COMMANDS[item.name] === 'none' ? '' : text(`composer.argument.${item.name as 'new'}`);
      return (
        <>
          <Terminal size={16} className="mx-0.5 flex-none text-fg-3" />
          <Words name={`/${item.name}`} detail={takes} about={text(`composer.command.${item.name}`)} />
        </>
      );
    }
    default:
      return item satisfies never;
  }
}

function Words(props: { name: string; detail: string; about: string; isOff?: boolean }) {
  return (
    <span className="min-w-0 flex-1">
      <span className="flex items-baseline gap-2">
        <span className={cx('truncate font-medium', props.isOff && 'text-fg-2')}>{props.name}</span>
        <span className="truncate font-mono text-2xs text-fg-3">{props.detail}</span>
      </span>
      {props.about && <span className="block truncate text-xs text-fg-3">{props.about}</span>}
    </span>
  );
}

export interface Offer {
  readonly list: Suggestions | null;
  readonly active: number;
  /** The one that Enter takes. */
  readonly chosen: Suggestion | null;
  move(step: number): void;
  point(index: number): void;
  close(): void;
}

/** What the list offers and which of it is chosen. Once closed it stays closed until something else is begun. */
export function useSuggestions({ text, caret }: Writing, session: Session | undefined, isOn: boolean): Offer {
  const all = useAgents();
  const primary = session?.agentId ?? null;
  const team = session?.team?.agents;
  const agents = useMemo(() => nearestFirst(all, primary, team ?? []), [all, primary, team]);
  const found = useMemo(
    () => (isOn ? suggest(text, caret, agents, primary) : null),
    [text, caret, agents, primary, isOn],
  );
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const [at, setAt] = useState({ text, index: 0 });
  const begun = found?.start ?? null;
  useEffect(() => {
    setClosedAt((closed) => (closed === begun ? closed : null));
  }, [begun]);
  const list = begun !== null && begun !== closedAt ? found : null;
  const count = list?.items.length ?? 0;
  const active = at.text === text ? Math.min(at.index, count - 1) : 0;
  return {
    list,
    active,
    chosen: list?.items[active] ?? null,
    move: (step) => setAt({ text, index: (active + step + count) % count }),
    point: (index) => setAt({ text, index }),
    close: () => setClosedAt(begun),
  };
}
