import { Link } from '@tanstack/react-router';
import type { Agent } from '../../../contract/agents.ts';
import { builtInText, useText } from '../../i18n/text.ts';
import { providerName } from '../../state/model-line.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Fact, Section } from './section.tsx';

export function AgentFacts({ agent }: { agent: Agent }) {
  const text = useText();
  return (
    <Section title={text('rail.agent')}>
      <div className="flex items-center gap-2 px-2 pb-1">
        <AgentTile agentId={agent.agentId} agent={agent} />
        <Link
          to="/agents/$"
          params={{ _splat: agent.agentId }}
          dir="auto"
          className="touch-link truncate font-medium hover:underline"
        >
          {agent.displayName}
        </Link>
      </div>
      <p className="px-2 pb-1 text-xs text-fg-2">{builtInText(agent.description)}</p>
      <dl>
        <Fact name={text('rail.model')}>{agent.model}</Fact>
        <Fact name={text('rail.provider')}>{providerName(agent.provider)}</Fact>
      </dl>
      {agent.fullAuthority && <p className="px-2 text-xs text-danger">{text('rail.fullAuthority')}</p>}
    </Section>
  );
}
