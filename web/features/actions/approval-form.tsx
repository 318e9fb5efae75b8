import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { ApprovalRequest } from '../../../contract/actions.ts';
import { markUnseenCharacters } from '../../../contract/unseen-characters.ts';
import { text, useText } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { Button } from '../../ui/button.tsx';
import { CallInput, foldedLines, foldedOf, shownLines } from '../../ui/call-input.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PatchLines } from '../../ui/patch-lines.tsx';
import { escapeUnseenCharacters, prettyInput } from '../../ui/tool-input.ts';
import { useCardKeys } from './card-keys.ts';
import type { Answer } from './question-form.tsx';

type Grant = 'session' | 'always';

const GRANTS: readonly Grant[] = ['session', 'always'];

interface Props {
  approval: ApprovalRequest;
  agentId: string;
  answer: Answer;
}

/** Exactly what will run, whole; the person may change it first. It can be allowed once all of it has been shown. */
export function ApprovalForm({ approval, agentId, answer }: Props) {
  const text = useText();
  const name = useAgentName(agentId);
  const [isExpanded, setExpanded] = useState(false);
  const [edited, setEdited] = useState<string | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const [confirming, setConfirming] = useState<Grant | null>(null);
  const edit = readEdit(edited, approval.input);
  const { patch, made } = readResult(approval.result);
  const folded = isExpanded ? 0 : (edit.input ? 0 : foldedLines(approval.input)) + foldedOf(patch);
  const canAllow = folded === 0 && edit.problem === null;
  const allow = (decision: 'once' | Grant) => answer({ decision, ...(edit.input && { input: edit.input }) });
  const deny = () => (reason === null ? setReason('') : answer({ decision: 'deny', ...(reason && { reason }) }));
  const grant = (decision: Grant) => (approval.risk === 'execute' ? setConfirming(decision) : allow(decision));
  const buttons = useRef<HTMLDivElement>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const denyButton = useRef<HTMLButtonElement>(null);
  const toggleEdit = () => setEdited(edited === null ? escapeUnseenCharacters(prettyInput(approval.input)) : null);
  const leaveEdit = () => {
    setEdited(null);
    editButton.current?.focus();
  };
  const leaveReason = () => {
    setReason(null);
    denyButton.current?.focus();
  };
  const showAll = () => {
    setEdited(null);
    setExpanded(true);
  };
  const hasKeys = useCardKeys(buttons, { allow: () => canAllow && allow('once'), deny });
  return (
    <div className="space-y-2">
      <About approval={approval} />
      {approval.reason && <p className="text-xs">{reasonText(text, approval)}</p>}
      {edited === null ? (
        <CallInput input={approval.input} isExpanded={isExpanded} />
      ) : (
        <ArgumentsBox value={edited} problem={edit.problem} onChange={setEdited} onLeave={leaveEdit} />
      )}
      {patch !== '' && <Change patch={patch} isExpanded={isExpanded} />}
      {folded > 0 && <Button onClick={showAll}>{text('actions.showLines', { count: folded })}</Button>}
      {made !== '' && <Outcome result={made} />}
      {reason !== null && <ReasonBox value={reason} onChange={setReason} onSend={deny} onLeave={leaveReason} />}
      <div ref={buttons} className="flex flex-wrap gap-2">
        <Button look="primary" aria-keyshortcuts="y" disabled={!canAllow} onClick={() => allow('once')}>
          {text('actions.once')}
          {hasKeys && <Key>Y</Key>}
        </Button>
        {GRANTS.filter(() => !approval.onceOnly).map((decision) => (
          <Button key={decision} disabled={!canAllow} onClick={() => grant(decision)}>
            {text(`actions.${decision}`)}
          </Button>
        ))}
        <Button ref={editButton} look="plain" onClick={toggleEdit}>
          {text(edited === null ? 'actions.edit' : 'actions.keep')}
        </Button>
        <Button ref={denyButton} look="danger" aria-keyshortcuts="n" onClick={deny}>
          {text(reason === null ? 'actions.deny' : 'actions.denyNow')}
          {hasKeys && reason === null && <Key>N</Key>}
        </Button>
      </div>
      <ConfirmGrant
        decision={confirming}
        name={name}
        tool={approval.tool}
        onCancel={() => setConfirming(null)}
        onConfirm={() => confirming && allow(confirming)}
      />
    </div>
  );
}

const SOURCES = { mcp: 'MCP', plugin: 'Plugin' };

/** What kind of tool it is, and where it would work. */
function About({ approval: { risk, source, folder } }: { approval: ApprovalRequest }) {
  const text = useText();
  return (
    <p className="text-xs text-fg-2">
      {text(risk === 'write' && folder !== null ? 'actions.changesFiles' : `risk.${risk}`)}
      {source.kind in SOURCES && ` · ${SOURCES[source.kind as keyof typeof SOURCES]} ${source.id}`}
      {folder !== null && (
        <>
          {' · '}
          {text('actions.folder')}{' '}
          <code className="font-mono [overflow-wrap:anywhere] text-fg">{markUnseenCharacters(folder)}</code>
        </>
      )}
    </p>
  );
}

/** What comes with the call besides its arguments: an agent that it makes, as JSON, or the change of a file. */
function readResult(result = ''): { patch: string; made: string } {
  return result.startsWith('{') ? { patch: '', made: result } : { patch: result, made: '' };
}

/** What a program would change in files, line by line. It is allowed only after all of it was shown. */
function Change({ patch, isExpanded }: { patch: string; isExpanded: boolean }) {
  const text = useText();
  return (
    <figure className="mx-0">
      <figcaption className="mb-0.5 text-xs text-fg-3">{text('actions.change')}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded-md bg-surface py-1.5 font-mono text-xs">
        <PatchLines lines={shownLines(patch, isExpanded)} />
      </pre>
    </figure>
  );
}

/** What the call makes, such as an agent with everything it inherits. */
function Outcome({ result }: { result: string }) {
  const text = useText();
  return (
    <details className="text-xs">
      <summary>{text('actions.result')}</summary>
      <pre className="rounded-md bg-surface p-2 font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">
        {markUnseenCharacters(prettyInput(result))}
      </pre>
    </details>
  );
}

/** Why the person is asked about a tool that only reads. */
function reasonText(text: ReturnType<typeof useText>, { tool, reason }: ApprovalRequest): string {
  if (reason?.kind === 'sends-private')
    return text('actions.sendsPrivate', { tool, agent: reason.reader, reads: reason.reads });
  return text('actions.sendsReadOnly', { tool });
}

function Key({ children }: { children: string }) {
  return (
    <span
      aria-hidden="true"
      className="rounded-sm border border-current/40 px-1 font-mono text-2xs leading-4 opacity-80 pointer-coarse:hidden"
    >
      {children}
    </span>
  );
}

interface BoxProps {
  value: string;
  onChange(value: string): void;
  /** Escape was pressed. */
  onLeave(): void;
}

function onEscape(event: KeyboardEvent, leave: () => void): void {
  if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  leave();
}

function ArgumentsBox({ value, problem, onChange, onLeave }: BoxProps & { problem: string | null }) {
  const text = useText();
  const problemId = useId();
  return (
    <div>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        aria-label={text('actions.arguments')}
        aria-invalid={problem !== null}
        aria-describedby={problemId}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => onEscape(event, onLeave)}
        rows={8}
        className="w-full rounded-md border border-line-strong bg-surface p-2 font-mono text-xs"
      />
      <p id={problemId} role="status" className="text-xs break-words text-danger">
        {problem}
      </p>
    </div>
  );
}

function ReasonBox({ value, onChange, onSend, onLeave }: BoxProps & { onSend(): void }) {
  const text = useText();
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person asked to write here
      autoFocus
      aria-label={text('actions.reason')}
      placeholder={text('actions.reason')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) onSend();
        onEscape(event, onLeave);
      }}
      className="h-8 w-full rounded-md border border-line-strong bg-surface px-2"
    />
  );
}

type Input = NonNullable<Parameters<Answer>[0]['input']>;

interface Edit {
  /** Null unless the arguments were changed to others that can be used. */
  input: Input | null;
  /** Why what was written cannot be used. */
  problem: string | null;
}

function readEdit(edited: string | null, asked: string): Edit {
  if (edited === null) return { input: null, problem: null };
  try {
    const value: unknown = JSON.parse(edited);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { input: null, problem: text('actions.notAnObject') };
    return { input: isSame(value, asked) ? null : (value as Input), problem: null };
  } catch (error) {
    return { input: null, problem: text('actions.invalidJson', { problem: (error as Error).message }) };
  }
}

function isSame(value: object, asked: string): boolean {
  try {
    return JSON.stringify(value) === JSON.stringify(JSON.parse(asked));
  } catch {
    return false;
  }
}

interface ConfirmGrantProps {
  /** Null: nothing is being confirmed. */
  decision: 'session' | 'always' | null;
  name: string;
  tool: string;
  onConfirm(): void;
  onCancel(): void;
}

/** Says what a standing approval of a tool that runs commands allows, before it is given. */
function ConfirmGrant({ decision, name, tool, onConfirm, onCancel }: ConfirmGrantProps) {
  const text = useText();
  if (decision === null) return null;
  return (
    <Dialog
      open
      onClose={onCancel}
      title={text(`actions.confirm.${decision}.title`, { tool })}
      footer={
        <>
          <Button onClick={onCancel}>{text('action.cancel')}</Button>
          <Button look="primary" onClick={onConfirm}>
            {text(`actions.${decision}`)}
          </Button>
        </>
      }
    >
      <p>{text(`actions.confirm.${decision}.body`, { name, tool })}</p>
      <p className="mt-2 text-xs text-fg-2">{text('actions.confirm.undo')}</p>
    </Dialog>
  );
}
