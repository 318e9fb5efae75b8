import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/text.ts';
import { useTemplateList } from '../../state/use-templates.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/page.tsx';
import { TemplateRow } from './template-row.tsx';
import { useRemoval } from './use-removal.ts';

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
