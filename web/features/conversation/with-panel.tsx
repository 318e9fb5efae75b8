import { type ReactNode, useState } from 'react';
import type { SessionState } from '../../../client/session-state.ts';
import { useText } from '../../i18n/text.ts';
import type { Panel } from '../../state/panels.ts';
import { useSlots } from '../../state/slots.tsx';
import { cx } from '../../ui/cx.ts';

/** A conversation, and beside it the panel that its session offers, if it offers one. */
export function WithPanel({ state, children }: { state: SessionState; children: ReactNode }) {
  const { panels } = useSlots();
  const { session } = state;
  const offered = session ? panels.filter(({ isOffered }) => isOffered(session)) : [];
  if (offered.length === 0) return children;
  return (
    <Beside sessionId={state.sessionId} panels={offered.filter(({ hasContent }) => hasContent(state))}>
      {children}
    </Beside>
  );
}

interface BesideProps {
  sessionId: string;
  panels: readonly Panel[];
  children: ReactNode;
}

/** Where there is no room for both, one of them: the conversation first. */
function Beside({ sessionId, panels, children }: BesideProps) {
  const [chosenId, choose] = useState<string | null>(null);
  const chosen = panels.find(({ id }) => id === chosenId);
  const shown = chosen ?? panels[0];
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      {shown && <Sides panels={panels} chosen={chosen} onChoose={choose} />}
      <div className="flex min-h-0 flex-1">
        <div className={cx('min-w-0 flex-1 flex-col', chosen ? 'hidden @min-[820px]:flex' : 'flex')}>{children}</div>
        {shown && (
          <div className={cx('min-w-0 flex-1 @min-[820px]:flex', chosen ? 'flex' : 'hidden')}>
            <shown.Component sessionId={sessionId} />
          </div>
        )}
      </div>
    </div>
  );
}

interface SidesProps {
  panels: readonly Panel[];
  chosen: Panel | undefined;
  onChoose(id: string | null): void;
}

/** Where there is room for both, there is a choice only among several panels. */
function Sides({ panels, chosen, onChoose }: SidesProps) {
  const text = useText();
  return (
    <div className={cx('flex flex-none gap-1 border-b border-line px-3', panels.length === 1 && '@min-[820px]:hidden')}>
      <Side isChosen={!chosen} onChoose={() => onChoose(null)}>
        {text('panel.conversation')}
      </Side>
      {panels.map((panel) => (
        <Side key={panel.id} isChosen={panel === chosen} onChoose={() => onChoose(panel.id)}>
          <panel.icon size={14} aria-hidden="true" />
          {text(panel.title)}
        </Side>
      ))}
    </div>
  );
}

function Side({ isChosen, onChoose, children }: { isChosen: boolean; onChoose(): void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={cx(
        '-mb-px inline-flex h-9 items-center gap-1.5 border-b-2 px-2.5 touch:h-11',
        isChosen ? 'border-accent text-fg' : 'border-transparent text-fg-2 hover:text-fg',
      )}
    >
      {children}
    </button>
  );
}
