import { LayoutTemplate, Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { canAnswer } from '../../state/can-answer.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { aboutTemplate } from './about-template.ts';

interface Props {
  template: SessionTemplate;
  /** Takes the keyboard. */
  isWanted: boolean;
  onBegin(template: SessionTemplate): void;
  onEdit(template: SessionTemplate): void;
  onRemove(template: SessionTemplate): void;
}

export function TemplateRow({ template, isWanted, onBegin, onEdit, onRemove }: Props) {
  const text = useText();
  const agents = useAgents();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isWanted) row.current?.querySelector<HTMLElement>('[data-edit]')?.focus();
  }, [isWanted]);
  const { name, agentId } = template;
  const agent = agents.find((one) => one.agentId === agentId);
  const isGone = agentId !== null && agents.length > 0 && !agent;
  return (
    <li ref={row} className="flex items-center gap-2 py-2">
      <span className="grid w-5 flex-none place-items-center text-fg-3">
        {agentId === null ? <LayoutTemplate size={16} /> : <AgentTile agentId={agentId} agent={agent} />}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-xs text-fg-3">{aboutTemplate(template, agents)}</span>
        {isGone && <span className="block text-xs text-danger">{text('templates.agentGone', { id: agentId })}</span>}
      </span>
      {canAnswer(template, agents) && (
        <Button aria-label={text('templates.beginFrom', { name })} onClick={() => onBegin(template)}>
          <Plus size={14} />
          <span className="max-sm:hidden">{text('agents.newSession')}</span>
        </Button>
      )}
      <IconButton data-edit="" label={text('templates.edit', { name })} onClick={() => onEdit(template)}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={text('templates.delete', { name })} onClick={() => onRemove(template)}>
        <Trash2 size={14} />
      </IconButton>
    </li>
  );
}
