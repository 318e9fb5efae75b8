import { useNavigate } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { builtInText, useText } from '../../i18n/text.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/page.tsx';
import { type TreeRow, treeKey, treeRows } from './tree.ts';

/** Who works for whom. Without any hierarchy there is nothing to show. */
export function AgentTree({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  const visible = useMemo(() => agents.filter(({ uiVisible }) => uiVisible), [agents]);
  const ids = new Set(visible.map(({ agentId }) => agentId));
  if (!visible.some(({ parentAgentId }) => parentAgentId !== null && ids.has(parentAgentId))) return null;
  return (
    <Section title={text('dashboard.hierarchy')}>
      <Tree agents={visible} />
    </Section>
  );
}

function Tree({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  const navigate = useNavigate();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const rows = treeRows(agents, folded);
  const current = rows.some(({ agent }) => agent.agentId === focused) ? focused : rows[0]!.agent.agentId;
  const toggle = (id: string) => setFolded(toggled(folded, id));
  const open = (id: string) => void navigate({ to: '/agents/$', params: { _splat: id } });
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeKey(rows, current, event.key);
    if (!move) return;
    // A letter leads to a name here, whatever it does elsewhere.
    event.stopPropagation();
    event.preventDefault();
    if ('toggle' in move) toggle(move.toggle);
    else if ('open' in move) open(move.open);
    else focusRow(list.current!, rows, move.focus);
  };
  return (
    <div ref={list} role="tree" aria-label={text('dashboard.hierarchy')} onKeyDown={press}>
      {rows.map((row) => (
        <Row
          key={row.agent.agentId}
          row={row}
          isCurrent={row.agent.agentId === current}
          onFocus={setFocused}
          onToggle={toggle}
          onOpen={open}
        />
      ))}
    </div>
  );
}

function toggled(folded: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(folded);
  if (!next.delete(id)) next.add(id);
  return next;
}

function focusRow(list: HTMLElement, rows: readonly TreeRow[], agentId: string): void {
  const index = rows.findIndex(({ agent }) => agent.agentId === agentId);
  list.querySelectorAll<HTMLElement>('[role="treeitem"]').item(index).focus();
}

interface RowProps {
  row: TreeRow;
  isCurrent: boolean;
  onFocus(agentId: string): void;
  onToggle(agentId: string): void;
  onOpen(agentId: string): void;
}

function Row({ row, isCurrent, onFocus, onToggle, onOpen }: RowProps) {
  const { agent, level, hasChildren, expanded, position, siblings } = row;
  return (
    // Keys are the tree's: they move between its lines.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      role="treeitem"
      tabIndex={isCurrent ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={hasChildren ? expanded : undefined}
      onFocus={() => onFocus(agent.agentId)}
      onClick={() => onOpen(agent.agentId)}
      style={{ paddingLeft: (level - 1) * 22 }}
      className="flex min-h-(--row) cursor-pointer pointer-coarse:min-h-11 items-center gap-2 rounded-md pr-2 hover:bg-hover"
    >
      <Fold isShown={hasChildren} expanded={expanded} onToggle={() => onToggle(agent.agentId)} />
      <AgentTile agentId={agent.agentId} agent={agent} />
      <span dir="auto" className="max-w-[60%] flex-none truncate font-medium">
        {agent.displayName}
      </span>
      <span dir="auto" className="truncate text-xs text-fg-3">
        {builtInText(agent.description)}
      </span>
    </div>
  );
}

/** For the mouse; the arrow keys do the same. */
function Fold({ isShown, expanded, onToggle }: { isShown: boolean; expanded: boolean; onToggle(): void }) {
  if (!isShown) return <span className="w-6 flex-none" />;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <span
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
      className="grid size-6 flex-none place-items-center text-fg-3"
    >
      <ChevronRight size={14} className={cx('transition-transform', expanded && 'rotate-90')} />
    </span>
  );
}
