import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Agent, AgentDefinition } from '../../contract/agents.ts';
import { useText } from '../i18n/text.ts';
import { useAgent } from '../live/use-agents.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { DefinitionEditor } from '../pages/agents/editor/definition-editor.tsx';
import { toText } from '../pages/agents/editor/draft.ts';
import type { JsonObject } from '../pages/agents/editor/json-value.ts';
import { Tabs } from '../pages/tabs.tsx';
import { Button } from '../ui/button.tsx';
import { notify } from '../ui/toast.tsx';
import { editByHand, forgetHandEdit, type HandEdit, useHandEdit } from './hand-edits.ts';
import { JudgementView } from './judgement-view.tsx';
import type { Proposal } from './proposal.ts';

interface Props {
  sessionId: string;
  proposal: Proposal;
}

const TABS = ['form', 'json'] as const;
type Tab = (typeof TABS)[number];

/** What the builder proposes, to be changed by hand, and made. */
export function DraftPane({ sessionId, proposal }: Props) {
  const text = useText();
  const [tab, setTab] = useState<Tab>('form');
  const { own, older } = useOwnVersion(sessionId, proposal);
  const make = useMaking(sessionId);
  const made = useAgent(proposal.definition.agentId);
  return (
    <section
      aria-label={text('builder.draft')}
      className="min-w-0 flex-1 overflow-y-auto border-line px-4 pt-3 sm:px-6 @min-[820px]:border-l"
    >
      {made && <Made agent={made} />}
      {older && (
        <Notice words={text('builder.newer')}>
          <Button onClick={() => editByHand(sessionId, proposal.callId, older.text)}>{text('builder.mine')}</Button>
        </Notice>
      )}
      {!own && proposal.judgement && <JudgementView judgement={proposal.judgement} />}
      {own && <p className="mb-2 text-xs text-fg-2">{text(own.isTold ? 'builder.told' : 'builder.tells')}</p>}
      <Tabs<Tab>
        label={text('builder.draft')}
        tabs={TABS.map((id) => ({ id, title: text(`agents.tab.${id}`) }))}
        chosen={tab}
        onChoose={setTab}
      >
        <DefinitionEditor
          text={own?.text ?? toText(proposal.definition)}
          onChange={(written) => editByHand(sessionId, proposal.callId, written)}
          tab={tab}
          onTab={setTab}
          inherited={NOTHING}
          fixedId={null}
          isChanged
          saveLabel={text('agents.make')}
          onSave={make}
          onDiscard={own && (() => forgetHandEdit(sessionId))}
        />
      </Tabs>
    </section>
  );
}

const NOTHING: JsonObject = {};

/** A newer draft takes the place of what was changed by hand; what its builder never heard of stays at hand. */
function useOwnVersion(sessionId: string, { callId }: Proposal): { own?: HandEdit; older?: HandEdit } {
  const edit = useHandEdit(sessionId);
  if (!edit) return {};
  if (edit.callId === callId) return { own: edit };
  return edit.isTold ? {} : { older: edit };
}

function useMaking(sessionId: string) {
  const text = useText();
  const navigate = useNavigate();
  const { client } = useLiveConnection();
  return async (value: JsonObject) => {
    const { agentId, displayName } = await client.createAgent(value as AgentDefinition);
    forgetHandEdit(sessionId);
    notify({ title: text('agents.made', { name: displayName }) });
    await navigate({ to: '/agents/$', params: { _splat: agentId } });
  };
}

function Made({ agent: { agentId, displayName } }: { agent: Agent }) {
  const text = useText();
  return (
    <Notice words={text('agents.made', { name: displayName })}>
      <Link to="/agents/$" params={{ _splat: agentId }} className="text-accent underline">
        {text('agents.details')}
      </Link>
    </Notice>
  );
}

function Notice({ words, children }: { words: string; children: ReactNode }) {
  return (
    <div role="status" className="mb-3 flex items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2">
      <p className="flex-1">{words}</p>
      {children}
    </div>
  );
}
