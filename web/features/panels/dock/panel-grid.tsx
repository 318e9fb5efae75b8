import { type CSSProperties, Fragment, type RefObject, useRef } from 'react';
import { useText } from '../../../i18n/panel-words.ts';
import { changeLayout, useLayout } from '../../../state/open-panels.ts';
import { type PanelColumn, resizeAll, resizeColumn, resizeGroup, shareOf } from '../../../state/panel-layout.ts';
import { Group } from './group.tsx';
import { Splitter } from './splitter.tsx';

interface Props {
  sessionId: string;
  /** The conversation and the panels together. */
  frame: RefObject<HTMLElement | null>;
}

/** Columns of panels beside a conversation, with what divides them. */
export function PanelGrid({ sessionId, frame }: Props) {
  const text = useText();
  const grid = useRef<HTMLElement>(null);
  const { columns, share } = useLayout(sessionId);
  const resize = (index: number, to: number) => changeLayout(sessionId, (all) => resizeColumn(all, index, to));
  return (
    <>
      <Splitter
        label={text('panel.resizeAll')}
        direction="row"
        share={1 - share}
        within={frame}
        onShare={(to) => changeLayout(sessionId, (all) => resizeAll(all, 1 - to))}
      />
      <aside ref={grid} aria-label={text('panel.all')} data-panels="" className="flex min-w-0 flex-1">
        {columns.map((column, index) => (
          <Fragment key={column.id}>
            {index > 0 && (
              <Splitter
                label={text('panel.resize')}
                direction="row"
                share={shareOf(columns, index - 1)}
                onShare={(to) => resize(index - 1, to)}
              />
            )}
            <Column sessionId={sessionId} column={column} />
          </Fragment>
        ))}
      </aside>
    </>
  );
}

function Column({ sessionId, column }: { sessionId: string; column: PanelColumn }) {
  const text = useText();
  const { groups } = column;
  const resize = (index: number, to: number) =>
    changeLayout(sessionId, (all) => resizeGroup(all, column.id, index, to));
  return (
    <div className="flex min-h-0 min-w-0 flex-col" style={sized(column.size)}>
      {groups.map((group, index) => (
        <Fragment key={group.id}>
          {index > 0 && (
            <Splitter
              label={text('panel.resize')}
              direction="column"
              share={shareOf(groups, index - 1)}
              onShare={(to) => resize(index - 1, to)}
            />
          )}
          <div className="flex min-h-0 min-w-0 flex-col" style={sized(group.size)}>
            <Group sessionId={sessionId} group={group} />
          </div>
        </Fragment>
      ))}
    </div>
  );
}

function sized(size: number): CSSProperties {
  return { flex: `${size} 1 0` };
}
