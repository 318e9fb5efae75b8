import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { useText } from '../../i18n/text.ts';
import { useDeletedAgents } from '../../state/agent-deletions.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Section } from '../../ui/page.tsx';
import { AgentCard } from './agent-card.tsx';

/** Everyone the person can talk to. */
export function AgentGrid({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  const [withHidden, setWithHidden] = useState(false);
  const hidden = agents.filter(({ uiVisible }) => !uiVisible).length;
  const deleted = useDeletedAgents();
  const shown = agents.filter(({ agentId, uiVisible }) => (uiVisible || withHidden) && !deleted.has(agentId));
  return (
    <Section title={text('dashboard.agents')} actions={<NewAgent />}>
      {agents.length === 0 ? (
        <EmptyState title={text('dashboard.noAgents')} action={<NewAgent />}>
          {text('dashboard.noAgentsHint')}
        </EmptyState>
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,248px),1fr))] gap-2.5">
          {shown.map((agent) => (
            <AgentCard key={agent.agentId} agent={agent} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <Button look="plain" className="mt-2" aria-pressed={withHidden} onClick={() => setWithHidden(!withHidden)}>
          {text(withHidden ? 'dashboard.hideHidden' : 'dashboard.showHidden', { count: hidden })}
        </Button>
      )}
    </Section>
  );
}

function NewAgent() {
  const text = useText();
  return (
    <Link
      to="/agents/new"
      className="inline-flex h-7 items-center gap-1.5 touch:h-11 rounded-md border border-line bg-surface px-2.5 hover:bg-hover"
    >
      <Plus size={14} aria-hidden="true" />
      {text('dashboard.newAgent')}
    </Link>
  );
}
