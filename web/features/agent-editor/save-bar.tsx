import { useRef } from 'react';
import { useText } from '../../i18n/agent-words.ts';
import { useBottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/button.tsx';
import { TestButton, TestResult, useConnectionTest } from './connection-test.tsx';
import { labelAt } from './fields.ts';
import type { EditorProps } from './form.tsx';
import { type JsonObject, type Path, pathName, toPatch } from './json-value.ts';
import { connectionFields } from './kinds.ts';
import type { Problem } from './problems.ts';

interface Props
  extends Pick<EditorProps, 'fixedId' | 'inherited' | 'isChanged' | 'onDiscard' | 'saved' | 'saveLabel' | 'text'> {
  /** Null: the text is not the JSON of an object. */
  value: JsonObject | null;
  busy: boolean;
  /** Just now. */
  isSaved: boolean;
  problems: readonly Problem[];
  onSave(): void;
}

const SHOWN = 4;

/** Always in sight while something is being edited: whether it is saved, what is wrong, and what can be done. */
export function SaveBar(props: Props) {
  const { fixedId, isChanged, busy, isSaved, problems, saveLabel, onSave, onDiscard } = props;
  const text = useText();
  const test = useTest(props);
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
      <TestResult state={test.state} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p role="status" className="min-w-28 flex-1 text-fg-2">
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
        <TestButton state={test.state} disabled={props.value === null} onBegin={test.begin} onCancel={test.cancel} />
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

/** Of the draft as it is being written: nothing has to be saved first. */
function useTest({ text, value, saved, fixedId }: Props) {
  const { state, begin, cancel } = useConnectionTest(text);
  const changes = () => connectionFields(value ?? {});
  const beginTest = () =>
    begin(
      saved && fixedId !== null
        ? { agentId: fixedId, changes: toPatch(connectionFields(saved), changes()) }
        : { agentId: `connection-test-${crypto.randomUUID()}`, changes: changes() },
    );
  return { state, begin: beginTest, cancel };
}

/** As the form calls it; what the form does not have goes by its name in the JSON. */
function FieldName({ path }: { path: Path }) {
  const text = useText();
  const label = labelAt(path);
  if (label) return <span className="mr-1.5 font-medium">{text(label)}:</span>;
  return path.length > 0 && <code className="mr-1.5 font-mono">{pathName(path)}</code>;
}
