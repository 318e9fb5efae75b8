import { type KeyboardEvent, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { useText } from '../../i18n/text.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { notify } from '../../ui/toast.tsx';
import { TOP_FIELDS } from './check-definition.ts';
import type { EditorProps } from './editor-props.ts';
import { AgentForm } from './form.tsx';
import type { JsonObject } from './json-value.ts';
import { fieldTest, type Problem, readIssue } from './problems.ts';
import { SaveBar } from './save-bar.tsx';
import { useShownProblems } from './shown-problems.ts';
import { type Checked, type Told, useChecked } from './use-checked.ts';
import { useVocabulary } from './use-vocabulary.ts';

const JsonEditor = lazyPart(async () => (await import('./json-editor.tsx')).JsonEditor, { loading: EditorLoading });

/** One draft, as a form or as JSON: whichever is used, the other one shows the same. */
export function DefinitionEditor(props: EditorProps) {
  const text = useText();
  const area = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState<Told | null>(null);
  const checked = useChecked(props.text, told, props.fixedId);
  const { shown, leave, showAll } = useShownProblems(checked.problems);
  const { busy, isSaved, save } = useSave(props, checked, setTold);
  const vocabulary = useVocabulary();
  const trySave = () => {
    showAll();
    if (checked.isSound) save();
    else requestAnimationFrame(() => focusFirstWrong(area.current!));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (props.isChanged) trySave();
  };
  const changeJson = (next: string) => {
    showAll();
    props.onChange(next);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key for everything in it
    <div ref={area} onKeyDown={press}>
      {props.tab === 'form' ? (
        <AgentForm {...props} value={checked.value} problems={shown} vocabulary={vocabulary} onLeave={leave} />
      ) : (
        <JsonEditor
          value={props.text}
          onChange={changeJson}
          problems={shown.length > 0 ? checked.placed : NONE}
          vocabulary={vocabulary}
          label={text('agents.json')}
        />
      )}
      <SaveBar {...props} problems={shown} busy={busy} isSaved={isSaved} onSave={trySave} />
    </div>
  );
}

const NONE: Checked['placed'] = [];

/** A field in a folded group is unfolded first. */
function focusFirstWrong(area: HTMLElement): void {
  const wrong = area.querySelector<HTMLElement>('[aria-invalid="true"]');
  wrong?.closest('details')?.setAttribute('open', '');
  wrong?.focus();
}

function useSave({ text, onSave }: EditorProps, { value, isSound }: Checked, onTold: (told: Told) => void) {
  const [busy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const save = () => {
    if (busy || value === null || !isSound) return;
    setBusy(true);
    onSave(value)
      .then(() => setSaved(true))
      .catch((error: Error) => {
        const said = problemsOf(error, value);
        if (said) onTold({ text, problems: said });
        else notify({ title: error.message });
      })
      .finally(() => setBusy(false));
  };
  return { busy, isSaved, save };
}

function problemsOf(error: Error, value: JsonObject): Problem[] | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'agent_exists') return [{ path: ['agentId'], message: error.message }];
  const isField = fieldTest(value, TOP_FIELDS);
  return error.issues?.map((issue) => readIssue(issue, isField)) ?? null;
}

function EditorLoading() {
  const text = useText();
  return <p className="h-[420px] text-fg-3">{text('app.loading')}</p>;
}
