import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { AppError } from '../../../../contract/errors.ts';
import { useText } from '../../../i18n/text.ts';
import { notify } from '../../../ui/toast.tsx';
import { TOP_FIELDS } from './check-definition.ts';
import type { EditorProps } from './editor-props.ts';
import { AgentForm } from './form.tsx';
import type { JsonObject } from './json-value.ts';
import { fieldTest, type Problem, readIssue } from './problems.ts';
import { SaveBar } from './save-bar.tsx';
import { type Checked, type Told, useChecked } from './use-checked.ts';
import { useVocabulary } from './use-vocabulary.ts';

const JsonEditor = lazy(() => import('./json-editor.tsx').then((module) => ({ default: module.JsonEditor })));

/** One draft, as a form or as JSON: whichever is used, the other one shows the same. */
export function DefinitionEditor(props: EditorProps) {
  const text = useText();
  const [told, setTold] = useState<Told | null>(null);
  const [isTried, setTried] = useState(false);
  const checked = useChecked(props.text, told, props.fixedId);
  const { busy, isSaved, save } = useSave(props, checked, setTold);
  const vocabulary = useVocabulary();
  const trySave = () => {
    setTried(true);
    save();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (props.isChanged) trySave();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key for everything in it
    <div onKeyDown={press}>
      {props.tab === 'form' ? (
        <AgentForm {...props} checked={checked} vocabulary={vocabulary} isTried={isTried} />
      ) : (
        <Suspense fallback={<p className="h-[420px] text-fg-3">{text('app.loading')}</p>}>
          <JsonEditor
            value={props.text}
            onChange={props.onChange}
            problems={checked.placed}
            vocabulary={vocabulary}
            label={text('agents.json')}
          />
        </Suspense>
      )}
      <SaveBar {...props} problems={checked.problems} busy={busy} isSaved={isSaved} onSave={trySave} />
    </div>
  );
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
