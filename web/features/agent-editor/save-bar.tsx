import { useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { useBottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/button.tsx';
import { labelAt } from './fields.ts';
import type { Path } from './json-value.ts';
import { type Problem, pathName } from './problems.ts';

interface Props {
  /** Null for an agent that is not created yet. */
  fixedId: string | null;
  isChanged: boolean;
  busy: boolean;
  /** Just now. */
  isSaved: boolean;
  problems: readonly Problem[];
  saveLabel: string;
  onSave(): void;
  /** Absent: there is nothing to go back to. */
  onDiscard?: (() => void) | undefined;
}

const SHOWN = 4;

/** Always in sight while something is being edited: whether it is saved, what is wrong, and what can be done. */
export function SaveBar({ fixedId, isChanged, busy, isSaved, problems, saveLabel, onSave, onDiscard }: Props) {
  const text = useText();
  const bar = useRef<HTMLDivElement>(null);
  useBottomBar(bar);
  return (
    <div ref={bar} className="sticky bottom-0 z-10 mt-4 border-t border-line bg-bg py-2.5">
      <ul aria-label={text('agents.problems')} className="mb-1 text-xs text-danger empty:hidden">
        {problems.slice(0, SHOWN).map(({ path, message }) => (
          <li key={`${pathName(path)} ${message}`}>
            <FieldName path={path} />
            {message}
          </li>
        ))}
        {problems.length > SHOWN && <li>{text('agents.moreProblems', { count: problems.length - SHOWN })}</li>}
      </ul>
      <div className="flex items-center gap-2">
        <p role="status" className="flex-1 text-fg-2">
          {text(
            fixedId === null
              ? 'agents.notCreated'
              : isChanged
                ? 'agents.unsaved'
                : isSaved
                  ? 'agents.savedNow'
                  : 'agents.saved',
          )}
        </p>
        {onDiscard && (
          <Button look="plain" disabled={!isChanged || busy} onClick={onDiscard}>
            {text('agents.discard')}
          </Button>
        )}
        <Button look="primary" disabled={!isChanged || busy} onClick={onSave}>
          {saveLabel}
        </Button>
      </div>
    </div>
  );
}

/** As the form calls it; what the form does not have goes by its name in the JSON. */
function FieldName({ path }: { path: Path }) {
  const text = useText();
  const label = labelAt(path);
  if (label) return <span className="mr-1.5 font-medium">{text(label)}:</span>;
  return path.length > 0 && <code className="mr-1.5 font-mono">{pathName(path)}</code>;
}
