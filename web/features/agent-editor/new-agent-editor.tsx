import { useState } from 'react';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { useText } from '../../i18n/text.ts';
import { LeaveDialog } from '../../ui/leave-dialog.tsx';
import { toText } from './draft.ts';
import { UnmadeAgentEditor } from './unmade-agent-editor.tsx';

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
