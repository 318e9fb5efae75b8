import { Link } from '@tanstack/react-router';
import type { Agent } from '../../../contract/agents.ts';
import { useText } from '../../i18n/page-words.ts';
import { unavailableReason } from '../../i18n/text.ts';
import { useAgentList } from '../../live/use-agents.ts';
import { providerName } from '../../state/model-line.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { CommandWords } from '../../ui/command-words.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';

/** Which models answer, who cannot answer and what to set. Keys themselves are never shown. */
export function Providers() {
  const text = useText();
  const list = useAgentList();
  return (
    <Section id="providers" title={text('settings.providers')} hint={text('settings.providersHint')}>
      <Loaded query={list}>
        {({ agents }) => (
          <>
            <ProviderList agents={agents} />
            <Missing agents={agents.filter(({ available }) => !available)} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function ProviderList({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  const providers = Object.entries(Object.groupBy(agents, ({ provider }) => provider));
  return (
    <ul className="mb-3 space-y-1">
      {providers.map(([provider, users = []]) => {
        const ready = users.filter(({ available }) => available).length;
        return (
          <li key={provider} className="flex items-center gap-2">
            <StatusDot
              status={ready > 0 ? 'active' : 'error'}
              label={text(ready > 0 ? 'settings.ready' : 'settings.missing')}
            />
            <span className="w-40">{providerName(provider)}</span>
            <span className="text-fg-2">{text('settings.providerUse', { ready, count: users.length })}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Missing({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  if (agents.length === 0) return <p className="text-fg-2">{text('settings.allReady')}</p>;
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {agents.map((agent) => (
        <li key={agent.agentId} className="flex items-start gap-2.5 px-3 py-2">
          <span className="flex touch:pt-3">
            <AgentTile agentId={agent.agentId} agent={agent} />
          </span>
          <span className="min-w-0">
            <Link to="/agents/$" params={{ _splat: agent.agentId }} className="touch-link font-medium hover:underline">
              {agent.displayName}
            </Link>
            <span className="block text-fg-2">
              <CommandWords words={unavailableReason(agent)} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
