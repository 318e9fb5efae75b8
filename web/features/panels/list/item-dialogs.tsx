import type { List, ListItem, PatchItem } from '../../../../contract/lists.ts';
import { HistoryDialog } from '../../../artifacts/history-dialog.tsx';
import type { ListVerbs } from '../../../artifacts/list-verbs.ts';
import { useArtifacts } from '../../../artifacts/use-artifacts.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { useFieldName } from './field-names.ts';
import { ItemForm } from './item-form.tsx';

export type OpenDialog =
  | { readonly kind: 'details' | 'history'; readonly item: ListItem }
  | { readonly kind: 'move'; readonly items: readonly ListItem[] };

interface Props {
  list: List;
  dialog: OpenDialog;
  verbs: ListVerbs;
  onSave(item: ListItem, patch: Omit<PatchItem, 'base'>): void;
  onClose(): void;
}

export function ItemDialogs({ list, dialog, verbs, onSave, onClose }: Props) {
  const text = useText();
  const nameOf = useFieldName(list.fields);
  switch (dialog.kind) {
    case 'details':
      return (
        <ItemForm list={list} item={dialog.item} onSave={(patch) => onSave(dialog.item, patch)} onClose={onClose} />
      );
    case 'history':
      return (
        <HistoryDialog
          artifactId={list.id}
          itemId={dialog.item.id}
          title={text('history.of', { name: dialog.item.title })}
          nameOf={nameOf}
          onClose={onClose}
        />
      );
    case 'move':
      return <MoveDialog list={list} items={dialog.items} verbs={verbs} onClose={onClose} />;
    default:
      return dialog satisfies never;
  }
}

interface MoveProps {
  list: List;
  items: readonly ListItem[];
  verbs: ListVerbs;
  onClose(): void;
}

/** The other lists that there are. */
function MoveDialog({ list, items, verbs, onClose }: MoveProps) {
  const text = useText();
  const { data = [] } = useArtifacts({ kind: 'list' });
  const others = data.filter(({ id }) => id !== list.id);
  const move = (toListId: string) => {
    void verbs.move(
      items.map(({ id }) => id),
      { toListId },
    );
    onClose();
  };
  return (
    <Dialog open title={text('list.moveTitle', { count: items.length })} onClose={onClose}>
      {others.length === 0 && <p className="text-fg-2">{text('list.noOther')}</p>}
      <ul>
        {others.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              dir="auto"
              onClick={() => move(id)}
              className="min-h-9 w-full truncate rounded-md px-2 text-start hover:bg-hover"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
