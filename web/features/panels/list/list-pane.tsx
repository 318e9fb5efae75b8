import { useEffect, useMemo, useState } from 'react';
import { Chooser } from '../../../artifacts/chooser.tsx';
import { ListVerbs } from '../../../artifacts/list-verbs.ts';
import { useLiveList } from '../../../artifacts/live-list.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { showInPanel, tellPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { Failure } from '../../../ui/page.tsx';
import { AddItem } from './add-item.tsx';
import { ItemGrid } from './item-grid.tsx';
import { ListHeader } from './list-header.tsx';
import { News } from './news.tsx';
import { shownItems } from './shown-items.ts';

/** A list beside the conversation; without one, the choice which. */
export function ListPane({ sessionId, panelId, artifactId }: PanelProps) {
  if (artifactId === null)
    return <Chooser kind="list" onChoose={(chosen) => showInPanel(sessionId, panelId, chosen)} />;
  return <OneList sessionId={sessionId} panelId={panelId} listId={artifactId} />;
}

interface Props {
  sessionId: string;
  panelId: string;
  listId: string;
}

function OneList({ sessionId, panelId, listId }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const [state, list] = useLiveList(listId);
  const verbs = useMemo(() => new ListVerbs(live, list), [live, list]);
  const [words, setWords] = useState('');
  const [isDoneShown, setDoneShown] = useState(true);
  const name = state.list?.name;
  useEffect(() => {
    if (name === undefined) return;
    tellPanel(sessionId, panelId, { title: name, item: { type: 'list', id: listId, name }, view: null });
  }, [sessionId, panelId, listId, name]);
  const shown = useMemo(() => shownItems(state, words, isDoneShown), [state, words, isDoneShown]);
  if (state.problem && !state.list)
    return (
      <div className="p-3">
        <Failure error={state.problem} retry={() => void list.read()} />
      </div>
    );
  if (!state.list) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  return (
    <>
      <ListHeader
        sessionId={sessionId}
        panelId={panelId}
        list={state.list}
        count={state.order.length}
        words={words}
        onWords={setWords}
        isDoneShown={isDoneShown}
        onDoneShown={setDoneShown}
      />
      <ItemGrid sessionId={sessionId} panelId={panelId} state={state} list={state.list} shown={shown} verbs={verbs} />
      <News news={state.news} />
      <AddItem
        isFull={state.list.deletedAt !== null}
        onAdd={(titles) => void verbs.add(titles.map((title) => ({ title })))}
      />
    </>
  );
}
