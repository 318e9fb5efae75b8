import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { useText } from '../../i18n/agent-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import type { AgentDraftEditorProps } from '../../state/slots.tsx';
import { LeaveDialog } from '../../ui/leave-dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { notify } from '../../ui/toast.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import { toText } from './draft.ts';
import type { JsonObject } from './json-value.ts';

const TABS = ['form', 'json'] as const;
type Tab = (typeof TABS)[number];

/** An agent that is not there yet: the same editor, and at the end it is. */
export function UnmadeAgentEditor({ label, onMade, onApply, ...draft }: AgentDraftEditorProps) {
  const text = useText();
  const { client } = useLiveConnection();
  const navigate = useNavigate();
  const [tab, setTab] = useState<Tab>('form');
  const make = async (value: JsonObject, confirm: string | undefined) => {
    const body = value as AgentDefinition;
    if (onApply) return onApply(body);
    const { agentId, displayName } = await client.call('createAgent', { body, query: { confirm } });
    onMade?.();
    notify({ title: text('agents.made', { name: displayName }) });
    await navigate({ to: '/agents/$', params: { _splat: agentId }, ignoreBlocker: true });
  };
  return (
    <Tabs<Tab>
      label={label}
      tabs={TABS.map((id) => ({ id, title: text(`agents.tab.${id}`) }))}
      chosen={tab}
      onChoose={setTab}
    >
      <DefinitionEditor
        {...draft}
        tab={tab}
        onTab={setTab}
        inherited={NOTHING}
        fixedId={null}
        saved={null}
        isChanged
        saveLabel={text(onApply ? 'agents.apply' : 'agents.make')}
        onSave={make}
      />
    </Tabs>
  );
}

const NOTHING: JsonObject = {};

/** An agent that begins as something, on the page for that. */
export function NewAgentEditor({ definition }: { definition: AgentDefinition }) {
  const text = useText();
  const beginning = toText(definition);
  const [draft, setDraft] = useState(beginning);
  const [isMade, setMade] = useState(false);
  const isChanged = draft !== beginning;
  return (
    <>
      <UnmadeAgentEditor
        label={text('dashboard.newAgent')}
        text={draft}
        onChange={setDraft}
        onMade={() => setMade(true)}
        onDiscard={isChanged ? () => setDraft(beginning) : undefined}
      />
      <LeaveDialog isChanged={!isMade && isChanged} />
    </>
  );
}
