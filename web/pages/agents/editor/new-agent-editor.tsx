import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import { useText } from '../../../i18n/text.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { notify } from '../../../ui/toast.tsx';
import { Tabs } from '../../tabs.tsx';
import { LeaveDialog } from '../leave-dialog.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import { toText } from './draft.ts';
import type { JsonObject } from './json-value.ts';

/** An agent that is not there yet: the same editor, and at the end it is. */
export function NewAgentEditor({ definition }: { definition: AgentDefinition }) {
  const text = useText();
  const { client } = useLiveConnection();
  const navigate = useNavigate();
  const [tab, setTab] = useState<'form' | 'json'>('form');
  const [draft, setDraft] = useState(() => toText(definition));
  const [isMade, setMade] = useState(false);
  const make = async (value: JsonObject) => {
    const { agentId, displayName } = await client.createAgent(value as AgentDefinition);
    setMade(true);
    notify({ title: text('agents.made', { name: displayName }) });
    await navigate({ to: '/agents/$', params: { _splat: agentId }, ignoreBlocker: true });
  };
  return (
    <>
      <Tabs<'form' | 'json'>
        label={text('dashboard.newAgent')}
        tabs={(['form', 'json'] as const).map((id) => ({ id, title: text(`agents.tab.${id}`) }))}
        chosen={tab}
        onChoose={setTab}
      >
        <DefinitionEditor
          text={draft}
          onChange={setDraft}
          tab={tab}
          onTab={setTab}
          inherited={NOTHING}
          fixedId={null}
          isChanged
          saveLabel={text('agents.make')}
          onSave={make}
          onDiscard={() => void navigate({ to: '/agents/new', search: {}, ignoreBlocker: true })}
        />
      </Tabs>
      <LeaveDialog isChanged={!isMade && draft !== toText(definition)} />
    </>
  );
}

const NOTHING: JsonObject = {};
