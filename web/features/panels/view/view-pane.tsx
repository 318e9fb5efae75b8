import {
  ArrowLeftRight,
  Calendar,
  Ellipsis,
  History,
  Link2,
  List as ListIcon,
  type LucideIcon,
  SlidersHorizontal,
  SquareKanban,
  Table2,
  Trash2,
} from 'lucide-react';
import { useContext, useEffect, useState } from 'react';
import type { View, ViewLayout, ViewRow, ViewRows } from '../../../../contract/views.ts';
import { Chooser } from '../../../artifacts/chooser.tsx';
import { HistoryDialog } from '../../../artifacts/history-dialog.tsx';
import { removeArtifact } from '../../../artifacts/trash.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { OwnLinks } from '../../../markdown/own-links.ts';
import { artifactLink, artifactPath } from '../../../state/artifact-links.ts';
import {
  closePanel,
  openPanel,
  selectItems,
  showInPanel,
  tellPanel,
  useSelection,
} from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { Failure } from '../../../ui/page.tsx';
import { useCopy } from '../../../ui/use-copy.ts';
import { BoardLayout } from './board-layout.tsx';
import { CalendarLayout } from './calendar-layout.tsx';
import type { LayoutProps } from './layout-props.ts';
import { QueryDialog } from './query-dialog.tsx';
import { fieldName, idOf, queryWords } from './rows.ts';
import { ListLayout, TableLayout } from './table-layout.tsx';
import { useView, useViewVerbs, type ViewVerbs } from './use-view.ts';

/** A view beside the conversation; without one, the choice which. */
export function ViewPane({ sessionId, panelId, artifactId }: PanelProps) {
  if (artifactId === null)
    return <Chooser kind="view" onChoose={(chosen) => showInPanel(sessionId, panelId, chosen)} />;
  return <OneView sessionId={sessionId} panelId={panelId} viewId={artifactId} />;
}

interface OfPanel {
  sessionId: string;
  panelId: string;
}

function OneView({ sessionId, panelId, viewId }: OfPanel & { viewId: string }) {
  const text = useText();
  const { view, rows } = useView(viewId);
  const shown = view.data;
  useEffect(() => {
    if (!shown) return;
    const { name, query } = shown;
    tellPanel(sessionId, panelId, { title: name, item: null, view: { name, query: queryWords(query) } });
  }, [sessionId, panelId, shown]);
  const problem = view.error ?? rows.error;
  if (problem && !(shown && rows.data))
    return (
      <div className="p-3">
        <Failure error={problem} retry={() => void Promise.all([view.refetch(), rows.refetch()])} />
      </div>
    );
  if (!shown || !rows.data) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  return <Shown sessionId={sessionId} panelId={panelId} view={shown} rows={rows.data} />;
}

function Shown({ sessionId, panelId, view, rows }: OfPanel & { view: View; rows: ViewRows }) {
  const text = useText();
  const verbs = useViewVerbs(view);
  const follow = useContext(OwnLinks);
  const selected = useSelection(panelId);
  const onToggle = (row: ViewRow) => {
    const id = idOf(row);
    selectItems(panelId, selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id]);
  };
  const onOpen = (row: ViewRow) => {
    const artifactId = row.kind === 'item' ? row.item.listId : row.note.id;
    if (sessionId === '') return void follow?.(artifactPath(artifactId));
    const opened = openPanel(sessionId, row.kind === 'item' ? 'list' : 'note', { artifactId });
    if (opened !== null && row.kind === 'item') selectItems(opened, [row.item.id]);
  };
  const layout = { view, rows, verbs, selection: new Set(selected), onToggle, onOpen };
  return (
    <>
      <ViewHeader sessionId={sessionId} panelId={panelId} view={view} rows={rows} verbs={verbs} />
      {rows.total === 0 && <p className="p-4 text-fg-2">{text('view.nothing')}</p>}
      <Layout {...layout} />
      {rows.isCut && (
        <p className="flex-none border-t border-line px-3 py-1 text-xs text-fg-3">
          {text('view.cut', { count: rows.rows.length, total: rows.total })}
        </p>
      )}
    </>
  );
}

function Layout(props: LayoutProps) {
  switch (props.view.layout) {
    case 'table':
      return <TableLayout {...props} />;
    case 'list':
      return <ListLayout {...props} />;
    case 'board':
      return <BoardLayout {...props} />;
    case 'calendar':
      return <CalendarLayout {...props} />;
    default:
      return props.view.layout satisfies never;
  }
}

const LAYOUTS: readonly (readonly [ViewLayout, LucideIcon])[] = [
  ['table', Table2],
  ['board', SquareKanban],
  ['list', ListIcon],
  ['calendar', Calendar],
];

interface HeaderProps extends OfPanel {
  view: View;
  rows: ViewRows;
  verbs: ViewVerbs;
}

function ViewHeader({ sessionId, panelId, view, rows, verbs }: HeaderProps) {
  const text = useText();
  const live = useLiveConnection();
  const { copy } = useCopy();
  const [dialog, setDialog] = useState<'query' | 'history' | null>(null);
  const remove = () => void removeArtifact(live, view).then((isGone) => isGone && closePanel(sessionId, panelId));
  const nameOf = (field: string) =>
    field === 'name' || field === 'layout' || field === 'query' || field === 'columns' || field === 'dateField'
      ? text(`field.${field}`)
      : fieldName(field as never, rows);
  return (
    <header className="flex flex-none items-center gap-0.5 border-b border-line px-2 py-1">
      {LAYOUTS.map(([layout, Icon]) => (
        <IconButton
          key={layout}
          label={text(`view.layout.${layout}`)}
          aria-pressed={layout === view.layout}
          onClick={() => verbs.change({ layout })}
          className={layout === view.layout ? 'bg-hover text-fg' : undefined}
        >
          <Icon size={15} />
        </IconButton>
      ))}
      <span role="status" className="min-w-0 flex-1 truncate px-2 text-right text-xs text-fg-3">
        {text('view.count', { count: rows.total })}
      </span>
      <IconButton label={text('view.query')} onClick={() => setDialog('query')}>
        <SlidersHorizontal size={15} />
      </IconButton>
      <Menu
        trigger={
          <IconButton label={text('view.menu')}>
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem icon={<History size={14} />} onSelect={() => setDialog('history')}>
          {text('history.title')}
        </MenuItem>
        <MenuItem icon={<Link2 size={14} />} onSelect={() => copy(artifactLink(view.id))}>
          {text('artifacts.copyLink')}
        </MenuItem>
        {sessionId !== '' && (
          <MenuItem icon={<ArrowLeftRight size={14} />} onSelect={() => showInPanel(sessionId, panelId, null)}>
            {text('view.another')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={remove}>
          {text('artifacts.toTrash')}
        </MenuItem>
      </Menu>
      {dialog === 'query' && <QueryDialog view={view} rows={rows} onClose={() => setDialog(null)} />}
      {dialog === 'history' && (
        <HistoryDialog
          artifactId={view.id}
          title={text('history.of', { name: view.name })}
          nameOf={nameOf}
          onClose={() => setDialog(null)}
        />
      )}
    </header>
  );
}
