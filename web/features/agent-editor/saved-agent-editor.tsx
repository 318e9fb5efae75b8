import { useState } from 'react';
import type { AgentDetail, AgentPatch } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import { useText } from '../../i18n/agent-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { type Confirming, NotConfirmed, useConfirming } from '../../ui/confirmed-program.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/toast.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import { readText, toText } from './draft.ts';
import { type Difference, differences, isSame, type JsonObject, pathName, toPatch } from './json-value.ts';

/** What is being written, and what it was begun from. */
export interface Draft {
  readonly text: string;
  readonly base: AgentDetail;
}

interface Props {
  detail: AgentDetail;
  draft: Draft | null;
  onDraft(draft: Draft | null): void;
  tab: 'form' | 'json';
  onTab(tab: 'form' | 'json'): void;
}

/** An agent that exists. Without a draft it shows what is in force, also when that changes elsewhere. */
export function SavedAgentEditor({ detail, draft, onDraft, tab, onTab }: Props) {
  const text = useText();
  const base = draft?.base ?? detail;
  const change = (next: string) => onDraft(saysTheSame(next, base) ? null : { text: next, base });
  const confirming = useConfirming();
  const { save, conflict, settle } = useSaving(base, confirming, () => onDraft(null));
  return (
    <>
      <Source detail={detail} />
      <DefinitionEditor
        text={draft?.text ?? toText(base.definition)}
        onChange={change}
        tab={tab}
        onTab={onTab}
        inherited={inheritedBy(base)}
        fixedId={base.agentId}
        saved={base.definition as JsonObject}
        isChanged={draft !== null}
        saveLabel={text('agents.save')}
        onSave={save}
        onDiscard={() => onDraft(null)}
      />
      {confirming.dialog}
      {conflict && (
        <StaleDialog
          differences={differences(conflict.theirs.definition, conflict.mine)}
          onOverwrite={settle}
          onTakeTheirs={() => {
            settle(null);
            onDraft(null);
          }}
          onClose={() => settle(null)}
        />
      )}
    </>
  );
}

function Source({ detail: { source } }: { detail: AgentDetail }) {
  const text = useText();
  return (
    <p className="mb-4 text-fg-2">
      {text('agents.writtenTo')} <code className="font-mono text-xs text-fg">{source}</code>
    </p>
  );
}

/** Layout alone is no change; a text that cannot be read is one. */
function saysTheSame(text: string, { definition }: AgentDetail): boolean {
  const { value } = readText(text);
  if (value === null || !isSame(value, definition)) return false;
  return Object.keys(toPatch(definition, value)).length === 0;
}

/** What it has without saying so itself. */
function inheritedBy({ definition, resolved }: AgentDetail): JsonObject {
  return definition.extends ? (resolved as JsonObject) : {};
}

interface Conflict {
  readonly mine: JsonObject;
  readonly theirs: AgentDetail;
}

/** Saves against the version it was begun from; if the agent was changed meanwhile, the person decides. */
function useSaving(base: AgentDetail, { run }: Confirming, onSaved: () => void) {
  const { client } = useLiveConnection();
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const send = async (patch: AgentPatch, version: string, confirm: string | undefined) => {
    await client.call('updateAgent', { agentId: base.agentId, body: patch, query: { confirm }, version });
    onSaved();
  };
  const save = (mine: JsonObject, confirm: string | undefined) =>
    send(toPatch(base.definition, mine), base.version, confirm).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'agent_version_stale') throw error;
      setConflict({ mine, theirs: await client.call('getAgent', { agentId: base.agentId }) });
    });
  const settle = (choice: 'overwrite' | null) => {
    if (choice && conflict) {
      const { mine, theirs } = conflict;
      const patch = toPatch(theirs.definition, mine);
      run((confirm) => send(patch, theirs.version, confirm)).catch(
        (error: Error) => error instanceof NotConfirmed || notify({ title: error.message }),
      );
    }
    setConflict(null);
  };
  return { save, conflict, settle };
}

interface StaleDialogProps {
  differences: readonly Difference[];
  onOverwrite(choice: 'overwrite'): void;
  onTakeTheirs(): void;
  onClose(): void;
}

/** The agent was changed elsewhere meanwhile: both versions, field by field. */
function StaleDialog({ differences, onOverwrite, onTakeTheirs, onClose }: StaleDialogProps) {
  const text = useText();
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text('agents.staleTitle')}
      footer={
        <>
          <Button look="plain" onClick={onClose}>
            {text('agents.keepEditing')}
          </Button>
          <Button onClick={onTakeTheirs}>{text('agents.takeTheirs')}</Button>
          <Button look="primary" onClick={() => onOverwrite('overwrite')}>
            {text('agents.overwrite')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-fg-2">{text('agents.staleHint')}</p>
      <table className="w-full table-fixed text-left text-xs">
        <thead className="text-fg-3">
          <tr>
            <th className="w-1/4 py-1 font-medium">{text('agents.staleField')}</th>
            <th className="py-1 pl-3 font-medium">{text('agents.staleTheirs')}</th>
            <th className="py-1 pl-3 font-medium">{text('agents.staleMine')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, theirs, mine }) => (
            <tr key={pathName(path)} className="border-t border-line align-top">
              <th scope="row" className="py-1.5 font-mono font-medium break-all">
                {pathName(path)}
              </th>
              <Value value={theirs} />
              <Value value={mine} />
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

function Value({ value }: { value: unknown }) {
  const text = useText();
  const words = value === undefined ? text('agents.notSet') : typeof value === 'string' ? value : JSON.stringify(value);
  return <td className="py-1.5 pl-3 break-words whitespace-pre-wrap text-fg-2">{words}</td>;
}
