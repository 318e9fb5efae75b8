import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AgentDetail } from '../../../contract/agents.ts';
import { builtInText, serverText, unavailableReason, useText } from '../../i18n/text.ts';
import { useAgentNames, useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { modelLine } from '../../state/model-line.ts';
import { Loaded, Section } from '../../ui/page.tsx';
import { AgentLink } from './agent-header.tsx';
import { Scope } from './scope.tsx';
import { sumUpScope } from './scope-words.ts';

/** What it is, and what it may do, in words. */
export function Overview({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const explanation = useExplanation(detail);
  return (
    <>
      {detail.unavailableReason && (
        <p role="status" className="mb-5 rounded-lg border border-danger/50 bg-surface px-3 py-2.5">
          {unavailableReason(detail)}
        </p>
      )}
      {detail.warnings.map(({ message, text: reference }) => (
        <p key={message} role="status" className="mb-5 rounded-lg border border-line bg-surface px-3 py-2.5">
          {serverText(message, reference)}
        </p>
      ))}
      <Facts detail={detail} />
      <Instructions prompt={detail.resolved.systemPrompt} />
      <Section title={text('agents.scope')}>
        <Loaded query={explanation}>
          {(data) => <Scope summary={sumUpScope(data)} fullAuthority={data.fullAuthority} />}
        </Loaded>
      </Section>
    </>
  );
}

function useExplanation({ agentId, version }: AgentDetail) {
  const { client } = useLiveConnection();
  const configuration = useLive((state) => state.configurationVersion);
  return useQuery({
    queryKey: ['explanation', agentId, version, configuration],
    queryFn: () => client.call('explain', { query: { agent: agentId } }),
    placeholderData: (before) => (before?.agentId === agentId ? before : undefined),
  });
}

function Facts({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const agents = useAgents();
  const nameOf = useAgentNames();
  const children = agents.filter(({ parentAgentId }) => parentAgentId === detail.agentId);
  const base = detail.definition.extends;
  return (
    <Section title={text('agents.about')}>
      <dl className="grid grid-cols-[minmax(0,132px)_1fr] gap-x-4 gap-y-1.5">
        <Fact name={text('agents.model')}>{modelLine(detail)}</Fact>
        {detail.parentAgentId && (
          <Fact name={text('agents.field.parentAgentId')}>
            <AgentLink agentId={detail.parentAgentId} name={nameOf(detail.parentAgentId)} />
          </Fact>
        )}
        {children.length > 0 && (
          <Fact name={text('agents.children')}>
            <span className="flex flex-wrap gap-x-3">
              {children.map((child) => (
                <AgentLink key={child.agentId} agentId={child.agentId} name={child.displayName} />
              ))}
            </span>
          </Fact>
        )}
        {base && <Fact name={text('agents.field.extends')}>{base}</Fact>}
        <Fact name={text('agents.source')}>
          <code className="font-mono text-xs">{detail.source}</code>
        </Fact>
        {detail.welcomeMessage && (
          <Fact name={text('agents.field.welcomeMessage')}>
            <Markdown text={builtInText(detail.welcomeMessage)} />
          </Fact>
        )}
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-2">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Instructions({ prompt }: { prompt: string | null | undefined }) {
  const text = useText();
  return (
    <Section title={text('agents.field.systemPrompt')}>
      {prompt ? (
        <p className="max-h-72 overflow-y-auto rounded-lg border border-line bg-surface px-3 py-2.5 whitespace-pre-wrap text-fg-2">
          {prompt}
        </p>
      ) : (
        <p className="text-fg-2">{text('agents.noInstructions')}</p>
      )}
    </Section>
  );
}
