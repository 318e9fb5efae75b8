import { LayoutTemplate, Pencil, Trash2 } from 'lucide-react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { canAnswer } from '../../state/choose-agent.ts';
import { useTemplateList } from '../../state/templates.ts';
import { useRemoval } from '../../state/use-removal.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { BeginningList, BeginningRow } from '../../ui/beginnings.tsx';
import { IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { aboutTemplate, draftOf, templateProblem, toFields } from './draft.ts';

interface Props {
  /** The template whose row takes the keyboard. */
  focus: string | null;
  onBegin(template: SessionTemplate): void;
  onEdit(template: SessionTemplate): void;
}

export function TemplateList({ focus, ...on }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const removal = useRemoval<SessionTemplate>({
    list: 'session-templates',
    remove: ({ id }) => client.call('deleteSessionTemplate', { templateId: id }),
    create: (template) => client.call('createSessionTemplate', { body: toFields(draftOf(template)) }),
    problem: templateProblem,
  });
  const wanted = removal.restored ?? focus;
  return (
    <BeginningList
      query={useTemplateList()}
      label={text('templates.title')}
      items={({ templates }) => templates}
      empty={<EmptyState title={text('templates.none')}>{text('templates.noneHint')}</EmptyState>}
      removal={removal}
    >
      {(template) => (
        <TemplateRow
          key={template.id}
          template={template}
          isWanted={template.id === wanted}
          onRemove={removal.remove}
          {...on}
        />
      )}
    </BeginningList>
  );
}

interface TemplateRowProps {
  template: SessionTemplate;
  /** Takes the keyboard. */
  isWanted: boolean;
  onBegin(template: SessionTemplate): void;
  onEdit(template: SessionTemplate): void;
  onRemove(template: SessionTemplate): void;
}

function TemplateRow({ template, isWanted, onBegin, onEdit, onRemove }: TemplateRowProps) {
  const text = useText();
  const agents = useAgents();
  const { name, agentId } = template;
  const agent = agents.find((one) => one.agentId === agentId);
  const isGone = agentId !== null && agents.length > 0 && !agent;
  return (
    <BeginningRow
      lead={agentId === null ? <LayoutTemplate size={16} /> : <AgentTile agentId={agentId} agent={agent} />}
      name={name}
      about={
        <>
          <span className="block truncate text-xs text-fg-3">{aboutTemplate(template, agents)}</span>
          {isGone && <span className="block text-xs text-danger">{text('templates.agentGone', { id: agentId })}</span>}
        </>
      }
      beginLabel={text('templates.beginFrom', { name })}
      onBegin={canAnswer(template, agents) ? () => onBegin(template) : undefined}
      isWanted={isWanted}
    >
      <IconButton data-edit="" label={text('templates.edit', { name })} onClick={() => onEdit(template)}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={text('templates.delete', { name })} onClick={() => onRemove(template)}>
        <Trash2 size={14} />
      </IconButton>
    </BeginningRow>
  );
}
