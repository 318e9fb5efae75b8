import { useQueryClient } from '@tanstack/react-query';
import { LayoutTemplate, Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { canAnswer } from '../../state/choose-agent.ts';
import { useTemplateList } from '../../state/templates.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { focusDialog } from '../../ui/keyboard-focus.ts';
import { Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { aboutTemplate, draftOf, templateProblem, toFields } from './draft.ts';

interface Props {
  /** The template whose row takes the keyboard. */
  focus: string | null;
  onBegin(template: SessionTemplate): void;
  onEdit(template: SessionTemplate): void;
}

export function TemplateList({ focus, ...on }: Props) {
  const templates = useTemplateList();
  const { removed, restored, remove, restore } = useRemoval();
  return (
    <>
      <Loaded query={templates}>
        {({ templates: all }) => (
          <Rows
            templates={all.filter(({ id }) => id !== removed?.id)}
            focus={restored ?? focus}
            onRemove={remove}
            {...on}
          />
        )}
      </Loaded>
      <Removed template={removed} onRestore={restore} />
    </>
  );
}

interface RowsProps extends Props {
  templates: readonly SessionTemplate[];
  onRemove(template: SessionTemplate): void;
}

function Rows({ templates, focus, ...on }: RowsProps) {
  const text = useText();
  if (templates.length === 0)
    return <EmptyState title={text('templates.none')}>{text('templates.noneHint')}</EmptyState>;
  return (
    <ul aria-label={text('templates.title')} className="divide-y divide-line">
      {templates.map((template) => (
        <TemplateRow key={template.id} template={template} isWanted={template.id === focus} {...on} />
      ))}
    </ul>
  );
}

/** Stands where it was done, and takes the keyboard: what was pressed is gone. */
function Removed({ template, onRestore }: { template: SessionTemplate | null; onRestore(): void }) {
  const text = useText();
  return (
    <div role="status">
      {template && (
        <p className="mt-2 flex items-center gap-2 border-t border-line pt-2 text-fg-2">
          <span className="min-w-0 flex-1 truncate">{text('sidebar.done.deleted', { title: template.name })}</span>
          <Button key={template.id} autoFocus onClick={onRestore}>
            {text('action.undo')}
          </Button>
        </p>
      )}
    </div>
  );
}

/** Deleted at once, everywhere; taking it back makes it anew. */
function useRemoval() {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [removed, setRemoved] = useState<SessionTemplate | null>(null);
  const [restored, setRestored] = useState<string | null>(null);
  const attempt = async (work: () => Promise<unknown>, onFailure: () => void) => {
    try {
      await work();
      await queries.invalidateQueries({ queryKey: ['session-templates'] });
    } catch (error) {
      onFailure();
      notify({ title: templateProblem(error as Error) });
    }
  };
  const remove = (template: SessionTemplate) => {
    setRemoved(template);
    void attempt(
      () => client.call('deleteSessionTemplate', { templateId: template.id }),
      () => setRemoved(null),
    );
  };
  const restore = () => {
    const template = removed!;
    focusDialog();
    setRemoved(null);
    void attempt(
      async () => setRestored((await client.call('createSessionTemplate', { body: toFields(draftOf(template)) })).id),
      () => setRemoved(template),
    );
  };
  return { removed, restored, remove, restore };
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
