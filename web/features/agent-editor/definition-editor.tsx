import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { useText, text as words } from '../../i18n/agent-words.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import { useLanguage } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { useBottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { notify } from '../../ui/toast.tsx';
import { checkDefinition, TOP_FIELDS } from './check-definition.ts';
import type { Vocabulary } from './completion.ts';
import { type Reading, readText, type SyntaxProblem } from './draft.ts';
import { labelAt } from './fields.ts';
import { AgentForm, type EditorProps } from './form.tsx';
import type { JsonObject, Path } from './json-value.ts';
import { fieldTest, type PlacedProblem, type Problem, pathName, placeProblems, readIssue } from './problems.ts';

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

/**
 * The problems to tell about so far: those of fields that the person has left, and all of them once something was written as
 * JSON or was to be saved. A form that has just been opened has none.
 */
function useShownProblems(problems: readonly Problem[]) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const isLeft = ({ path }: Problem) => path.some((_, index) => left.has(pathName(path.slice(0, index + 1))));
  return {
    shown: isAll ? problems : problems.filter(isLeft),
    leave: (path: Path) => setLeft((before) => new Set(before).add(pathName(path))),
    showAll: () => setAll(true),
  };
}

/** Names to choose from. What cannot be read is not offered; it can be typed all the same. */
function useVocabulary(): Vocabulary {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const agents = useAgents();
  const tools = useQuery({ queryKey: ['tools', version], queryFn: () => client.call('listTools') });
  const templates = useQuery({ queryKey: ['templates', version], queryFn: () => client.call('listTemplates') });
  return useMemo(
    () => ({
      agents: agents.map(({ agentId }) => agentId),
      tools: tools.data?.tools.map(({ name }) => name) ?? [],
      templates: templates.data?.templates.map(({ templateId }) => templateId) ?? [],
    }),
    [agents, tools.data, templates.data],
  );
}

/** What the server said of exactly this text. */
interface Told {
  readonly text: string;
  readonly problems: readonly Problem[];
}

interface Checked extends Reading {
  readonly problems: readonly Problem[];
  /** As far as can be said without the server. */
  readonly isSound: boolean;
  readonly placed: readonly PlacedProblem[];
}

/** A draft, read and judged. `fixedId`: an agent keeps its name. */
function useChecked(text: string, told: Told | null, fixedId: string | null): Checked {
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the problems are told in words
  return useMemo(() => {
    const reading = readText(text);
    if (!reading.value) return unreadable(reading);
    const isRenamed = fixedId !== null && reading.value.agentId !== fixedId;
    const own = [...checkDefinition(reading.value), ...(isRenamed ? [renamed()] : [])];
    const problems = [...own, ...(told?.text === text ? told.problems : [])];
    return { ...reading, problems, isSound: own.length === 0, placed: placeProblems(text, problems) };
  }, [text, told, fixedId, language]);
}

function unreadable(reading: Reading): Checked {
  const { errors } = reading;
  return { ...reading, problems: errors.map(toProblem), isSound: false, placed: errors.map(toPlaced) };
}

function renamed(): Problem {
  return { path: ['agentId'], message: words('agents.problem.renamed') };
}

function toProblem(error: SyntaxProblem): Problem {
  return { path: [], message: sayError(error) };
}

function toPlaced(error: SyntaxProblem): PlacedProblem {
  return { from: error.from, to: error.to, message: sayError(error) };
}

const SYNTAX: Readonly<Record<string, AgentTextKey>> = {
  CommaExpected: 'agents.json.comma',
  ColonExpected: 'agents.json.colon',
  PropertyNameExpected: 'agents.json.name',
  ValueExpected: 'agents.json.value',
  CloseBraceExpected: 'agents.json.brace',
  CloseBracketExpected: 'agents.json.bracket',
  EndOfFileExpected: 'agents.json.end',
  InvalidCommentToken: 'agents.json.comment',
  UnexpectedEndOfString: 'agents.json.string',
  ObjectExpected: 'agents.json.object',
};

function sayError({ code }: SyntaxProblem): string {
  return words(SYNTAX[code] ?? 'agents.json.other');
}

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
function SaveBar({ fixedId, isChanged, busy, isSaved, problems, saveLabel, onSave, onDiscard }: Props) {
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
