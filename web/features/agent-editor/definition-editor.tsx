import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { useText, text as words } from '../../i18n/agent-words.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import { useLanguage } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { type Confirming, NotConfirmed, useConfirming } from '../../ui/confirmed-program.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { notify } from '../../ui/toast.tsx';
import { checkDefinition, TOP_FIELDS } from './check-definition.ts';
import type { Vocabulary } from './completion.ts';
import { type Reading, readText, type SyntaxProblem } from './draft.ts';
import { AgentForm, type EditorProps } from './form.tsx';
import { type JsonObject, type Path, pathName } from './json-value.ts';
import type { KeptSettings } from './kinds.ts';
import { fieldTest, type PlacedProblem, type Problem, placeProblems, readIssue } from './problems.ts';
import { SaveBar } from './save-bar.tsx';

const JsonEditor = lazyPart(async () => (await import('./json-editor.tsx')).JsonEditor, { loading: EditorLoading });

/** One draft, as a form or as JSON: whichever is used, the other one shows the same. */
export function DefinitionEditor(props: EditorProps) {
  const text = useText();
  const area = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState<Told | null>(null);
  const checked = useChecked(props.text, told, props.fixedId);
  const { shown, leave, showAll } = useShownProblems(checked.problems);
  const confirming = useConfirming();
  const { busy, isSaved, save } = useSave(props, checked, confirming, setTold);
  const vocabulary = useVocabulary();
  const kept = useRef<KeptSettings>({});
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
        <AgentForm
          {...props}
          value={checked.value}
          problems={shown}
          vocabulary={vocabulary}
          kept={kept}
          onLeave={leave}
        />
      ) : (
        <JsonEditor
          value={props.text}
          onChange={changeJson}
          problems={shown.length > 0 ? checked.placed : NONE}
          vocabulary={vocabulary}
          label={text('agents.json')}
        />
      )}
      <SaveBar {...props} value={checked.value} problems={shown} busy={busy} isSaved={isSaved} onSave={trySave} />
      {confirming.dialog}
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

function useSave(
  { text, onSave }: EditorProps,
  { value, isSound }: Checked,
  { run }: Confirming,
  onTold: (told: Told) => void,
) {
  const [busy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const save = () => {
    if (busy || value === null || !isSound) return;
    setBusy(true);
    run((confirm) => onSave(value, confirm))
      .then(() => setSaved(true))
      .catch((error: Error) => {
        if (error instanceof NotConfirmed) return;
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
