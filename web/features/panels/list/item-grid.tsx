// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard for its rows and cells
// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go with scrolling are no table
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid hears the keys
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import type { ArtifactConflict } from '../../../../contract/artifacts.ts';
import type { List, ListItem, PatchItem } from '../../../../contract/lists.ts';
import { ConflictDialog } from '../../../artifacts/conflict-dialog.tsx';
import type { ListState } from '../../../artifacts/list-state.ts';
import type { ListVerbs } from '../../../artifacts/list-verbs.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { addToDraft } from '../../../state/drafts.ts';
import { selectItems, useSelection } from '../../../state/open-panels.ts';
import { isTouch, useIsTouch } from '../../../ui/use-media.ts';
import { useFieldName } from './field-names.ts';
import { type GridAction, gridActionOf } from './grid-keys.ts';
import { ItemDialogs, type OpenDialog } from './item-dialogs.tsx';
import { ItemRow } from './item-row.tsx';
import { asWords } from './item-words.ts';
import { useListDrop } from './use-list-drop.ts';

interface Props {
  sessionId: string;
  panelId: string;
  state: ListState;
  list: List;
  shown: readonly ListItem[];
  verbs: ListVerbs;
}

const ROW_PX = 36;
const TOUCH_ROW_PX = 48;

/** The items of a list. The grid itself has the keyboard; the row it is about is named by `aria-activedescendant`. */
export function ItemGrid({ sessionId, panelId, state, list, shown, verbs }: Props) {
  const text = useText();
  const grid = useRef<HTMLDivElement>(null);
  const isTouching = useIsTouch();
  const selection = useSelection(panelId);
  const [activeId, setActive] = useState<string | null>(null);
  const [anchor, setAnchor] = useState<string | null>(null);
  const [editingId, setEditing] = useState<string | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);
  const height = isTouching ? TOUCH_ROW_PX : ROW_PX;
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => grid.current,
    estimateSize: () => height,
    getItemKey: (index) => shown[index]!.id,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height of the rows has to be measured anew
  useEffect(() => rows.measure(), [height]);
  const at = shown.findIndex(({ id }) => id === activeId);
  const chosen = new Set(selection);
  usePruning(panelId, state, selection);
  useListDrop(grid, list.id, verbs);

  const targets = (item: ListItem | undefined): readonly ListItem[] => {
    if (item && !chosen.has(item.id)) return [item];
    const some = shown.filter(({ id }) => chosen.has(id));
    return some.length > 0 ? some : item ? [item] : [];
  };
  const goTo = (index: number, isExtending = false) => {
    const item = shown[Math.max(0, Math.min(shown.length - 1, index))];
    if (!item) return;
    setActive(item.id);
    rows.scrollToIndex(shown.indexOf(item));
    if (!isExtending) return setAnchor(item.id);
    selectItems(panelId, between(shown, anchor ?? activeId ?? item.id, item.id));
  };
  const save = async (item: ListItem, patch: Omit<PatchItem, 'base'>) => {
    const conflicts = await verbs.change(item, patch);
    if (conflicts) setClash({ item, patch, conflicts });
  };
  const toggleDone = (items: readonly ListItem[]) => {
    const done = items.some(({ doneAt }) => doneAt === null);
    void verbs.changeAll(items, { done });
  };
  const step = (items: readonly ListItem[], by: 1 | -1) => {
    const ids = items.map(({ id }) => id);
    const [first, last] = [shown.indexOf(items[0]!), shown.indexOf(items.at(-1)!)];
    const beside = shown[by < 0 ? first - 1 : last + 1];
    if (beside) void verbs.move(ids, by < 0 ? { before: beside.id } : { after: beside.id });
  };
  const act = (action: GridAction) => {
    const item = shown[at];
    const all = targets(item);
    switch (action.do) {
      case 'go':
        return goTo(action.isEdge ? (action.by < 0 ? 0 : shown.length - 1) : at + action.by, action.isExtending);
      case 'toggle':
        return item && selectItems(panelId, toggled(selection, item.id));
      case 'all':
        return selectItems(
          panelId,
          shown.map(({ id }) => id),
        );
      case 'clear':
        return selectItems(panelId, []);
      case 'edit':
        return item && setEditing(item.id);
      case 'details':
        return item && setDialog({ kind: 'details', item });
      case 'done':
        return all.length > 0 && toggleDone(all);
      case 'remove':
        return all.length > 0 && void verbs.remove(all);
      case 'move':
        return all.length > 0 && step(all, action.by);
      case 'menu':
        return grid.current?.querySelector<HTMLElement>(`[data-menu-of="${activeId}"]`)?.click();
      default:
        return action satisfies never;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const action = gridActionOf(event.nativeEvent, selection.length > 0);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    act(action);
  };
  const onRowClick = (event: MouseEvent, item: ListItem) => {
    setActive(item.id);
    if (event.shiftKey && anchor !== null) return selectItems(panelId, between(shown, anchor, item.id));
    setAnchor(item.id);
    if (event.ctrlKey || event.metaKey || isTouch()) return selectItems(panelId, toggled(selection, item.id));
    selectItems(panelId, selection.length === 1 && chosen.has(item.id) ? [] : [item.id]);
  };
  const back = () => grid.current?.focus({ preventScroll: true });
  return (
    <>
      <div
        ref={grid}
        role="grid"
        tabIndex={0}
        aria-label={list.name}
        aria-multiselectable="true"
        aria-rowcount={shown.length}
        aria-activedescendant={at < 0 ? undefined : rowId(panelId, activeId!)}
        onKeyDown={onKeyDown}
        onFocus={({ target, currentTarget }) => target === currentTarget && at < 0 && goTo(0)}
        className="min-h-0 flex-1 overflow-y-auto outline-none focus-visible:[&_[data-active]]:outline-2"
      >
        {shown.length === 0 && (
          <div role="row" className="p-4 text-fg-2">
            <span role="gridcell">
              {text(state.isComplete ? (state.order.length > 0 ? 'list.nothingFound' : 'list.empty') : 'app.loading')}
            </span>
          </div>
        )}
        <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const item = shown[index]!;
            return (
              <ItemRow
                key={item.id}
                id={rowId(panelId, item.id)}
                item={item}
                list={list}
                index={index}
                top={start}
                height={height}
                isActive={item.id === activeId}
                isSelected={chosen.has(item.id)}
                isEditing={item.id === editingId}
                dragged={() => targets(item)}
                onClick={(event) => onRowClick(event, item)}
                onDone={() => toggleDone([item])}
                onRename={(title) => {
                  setEditing(null);
                  back();
                  if (title !== null && title !== item.title) void save(item, { title });
                }}
                verbs={{
                  edit: () => setEditing(item.id),
                  details: () => setDialog({ kind: 'details', item }),
                  history: () => setDialog({ kind: 'history', item }),
                  moveTo: () => setDialog({ kind: 'move', items: targets(item) }),
                  toMessage: sessionId === '' ? null : () => addToDraft(sessionId, asWords(targets(item))),
                  up: () => step(targets(item), -1),
                  down: () => step(targets(item), 1),
                  remove: () => void verbs.remove(targets(item)),
                }}
              />
            );
          })}
        </div>
      </div>
      {selection.length > 0 && <Selected count={selection.length} onClear={() => selectItems(panelId, [])} />}
      {dialog && (
        <ItemDialogs
          list={list}
          dialog={dialog}
          verbs={verbs}
          onSave={(item, patch) => void save(item, patch)}
          onClose={() => {
            setDialog(null);
            back();
          }}
        />
      )}
      {clash && <ClashDialog list={list} clash={clash} verbs={verbs} onClose={() => setClash(null)} />}
    </>
  );
}

interface Clash {
  readonly item: ListItem;
  readonly patch: Omit<PatchItem, 'base'>;
  readonly conflicts: readonly ArtifactConflict[];
}

interface ClashProps {
  list: List;
  clash: Clash;
  verbs: ListVerbs;
  onClose(): void;
}

function ClashDialog({ list, clash: { item, patch, conflicts }, verbs, onClose }: ClashProps) {
  const nameOf = useFieldName(list.fields);
  const mine = () => {
    void verbs.change(item, patch, true);
    onClose();
  };
  return <ConflictDialog conflicts={conflicts} nameOf={nameOf} onMine={mine} onTheirs={onClose} />;
}

function Selected({ count, onClear }: { count: number; onClear(): void }) {
  const text = useText();
  return (
    <p className="flex flex-none items-center gap-2 border-t border-line bg-surface px-3 text-xs text-fg-2">
      <span role="status" className="flex-1 py-1.5">
        {text('list.selected', { count })}
      </span>
      <button type="button" className="min-h-7 px-1 text-link hover:underline" onClick={onClear}>
        {text('list.clearSelection')}
      </button>
    </p>
  );
}

/** What was selected and is gone is not selected any more. */
function usePruning(panelId: string, { items, isComplete }: ListState, selection: readonly string[]): void {
  useEffect(() => {
    if (!isComplete) return;
    const left = selection.filter((id) => items.has(id));
    if (left.length < selection.length) selectItems(panelId, left);
  }, [panelId, items, isComplete, selection]);
}

function rowId(panelId: string, itemId: string): string {
  return `row-${panelId}-${itemId}`;
}

function toggled(selection: readonly string[], id: string): readonly string[] {
  return selection.includes(id) ? selection.filter((one) => one !== id) : [...selection, id];
}

function between(shown: readonly ListItem[], one: string, other: string): readonly string[] {
  const places = [one, other].map((id) => shown.findIndex((item) => item.id === id));
  return shown.slice(Math.max(0, Math.min(...places)), Math.max(...places) + 1).map(({ id }) => id);
}
