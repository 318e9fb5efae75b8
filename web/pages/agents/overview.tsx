import { useQuery } from '@tanstack/react-query';
import { ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AgentDetail } from '../../../contract/agents.ts';
import { useText } from '../../i18n/agent-words.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import { builtInText, serverText, unavailableReason } from '../../i18n/text.ts';
import { useAgentNames, useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { modelLine } from '../../state/model-line.ts';
import { CommandWords } from '../../ui/command-words.tsx';
import { cx } from '../../ui/cx.ts';
import { Loaded, Section } from '../../ui/page.tsx';
import { AgentLink } from './agent-header.tsx';
import { CardReview } from './card-review.tsx';
import { groupTools, type NamedReason, type OwnTools, type ScopeSummary, sumUpScope } from './scope-words.ts';

/** What it is, and what it may do, in words. */
export function Overview({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const explanation = useExplanation(detail);
  // Its card is shown right below, with what to do.
  const waitsForCard = detail.unavailableText?.key === 'unavailable.card';
  return (
    <>
      {detail.unavailableReason && !waitsForCard && (
        <p role="status" className="mb-5 rounded-lg border border-danger/50 bg-surface px-3 py-2.5">
          <CommandWords words={unavailableReason(detail)} />
        </p>
      )}
      {detail.warnings.map(({ message, text: reference }) => (
        <p key={message} role="status" className="mb-5 rounded-lg border border-line bg-surface px-3 py-2.5">
          <CommandWords words={serverText(message, reference)} />
        </p>
      ))}
      {detail.type === 'a2a' && <CardReview detail={detail} />}
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
      <dl className="grid grid-cols-[minmax(0,132px)_1fr] items-baseline gap-x-4 gap-y-1.5">
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

/** What an agent may do, whom it may ask, and what it could have others do. */
function Scope({ summary, fullAuthority }: { summary: ScopeSummary; fullAuthority: boolean }) {
  const text = useText();
  const { uses, asksFirst, mayNot, ownTools, mayAsk, mayNotAsk, skills, reaches, toolsOfOthers } = summary;
  return (
    <div className="space-y-4">
      {fullAuthority && <FullAuthority />}
      <Names title="agents.uses" none="agents.usesNone" names={uses} />
      <Names title="agents.asksFirst" names={asksFirst} />
      <Names title="agents.mayNot" names={mayNot} />
      {ownTools.length > 0 && <OwnToolRules rules={ownTools} />}
      {skills.length > 0 && <Line title={text('agents.skills', { count: skills.length })}>{skills.join(', ')}</Line>}
      <Names title="agents.mayAsk" none="agents.mayAskNone" names={mayAsk} areAgents />
      <Names title="agents.mayNotAsk" names={mayNotAsk} areAgents />
      {reaches.length > 0 && (
        <Line title={text('agents.reaches', { count: reaches.length })}>
          {reaches.map(({ agentId, via }) => (
            <span key={agentId} className="block">
              {text('agents.through', { name: agentId, others: via.join(' → ') })}
            </span>
          ))}
        </Line>
      )}
      {toolsOfOthers.length > 0 && (
        <Line title={text('agents.toolsOfOthers', { count: toolsOfOthers.length })}>
          {toolsOfOthers.map(({ tool, through }) => (
            <span key={tool} className="block">
              {text('agents.through', { name: tool, others: through.join(', ') })}
            </span>
          ))}
        </Line>
      )}
    </div>
  );
}

/** Which tools its program has is known only when it uses one, so what applies is told by what a tool does. */
function OwnToolRules({ rules }: { rules: readonly OwnTools[] }) {
  const text = useText();
  return (
    <div>
      <h3 className="mb-1 font-medium">{text('agents.ownTools')}</h3>
      <dl className="divide-y divide-line border-y border-line">
        {rules.map(({ does, policy, reason }) => (
          <div key={does} className="grid gap-x-4 py-1 sm:grid-cols-[220px_minmax(0,1fr)]">
            <dt>{text(`agents.ownTools.${does}`)}</dt>
            <dd>
              {text(`agents.ownTools.${policy}`)}
              <span className="block text-xs text-fg-2">{reason}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-1 text-xs text-fg-2">{text('agents.ownToolsHint')}</p>
    </div>
  );
}

function FullAuthority() {
  const text = useText();
  return (
    <p className="flex gap-2.5 rounded-lg border border-danger/50 bg-surface px-3 py-2.5">
      <ShieldAlert size={16} aria-hidden="true" className="mt-0.5 flex-none text-danger" />
      {text('agents.fullAuthority')}
    </p>
  );
}

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 font-medium">{title}</h3>
      <div className="font-mono text-xs leading-6 text-fg-2">{children}</div>
    </div>
  );
}

interface NamesProps {
  title: AgentTextKey;
  /** Said when there are none; without it, nothing is. */
  none?: AgentTextKey;
  names: readonly NamedReason[];
  areAgents?: boolean;
}

/** The names at a glance; the rule behind each of them one step away. */
function Names({ title, none, names, areAgents = false }: NamesProps) {
  const text = useText();
  const nameOf = useAgentNames();
  if (names.length === 0) return none ? <p className="text-fg-2">{text(none)}</p> : null;
  return (
    <div>
      <h3 className="mb-1 font-medium">{text(title, { count: names.length })}</h3>
      {areAgents ? (
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {names.map(({ name }) => (
            <li key={name}>
              <AgentLink agentId={name} name={nameOf(name)} />
            </li>
          ))}
        </ul>
      ) : (
        <ToolGroups names={names.map(({ name }) => name)} />
      )}
      <details className="mt-1">
        <summary className="min-h-6 w-fit cursor-pointer text-xs leading-6 text-fg-3">{text('agents.why')}</summary>
        <ul className="mt-1 space-y-1 border-l border-line pl-3 text-xs text-fg-2">
          {names.map(({ name, reason }) => (
            <li key={name}>{reason}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

/** One line for what belongs together, instead of a wall of names. */
function ToolGroups({ names }: { names: readonly string[] }) {
  const groups = groupTools(names);
  const hasPrefixes = groups.some(({ prefix }) => prefix !== '');
  return (
    <ul className="divide-y divide-line border-y border-line">
      {groups.map((group) => (
        <li key={group.prefix} className={cx('grid gap-x-4 py-1', hasPrefixes && 'sm:grid-cols-[120px_minmax(0,1fr)]')}>
          {hasPrefixes && (
            <code className="font-mono text-xs leading-5.5 text-fg-2 max-sm:empty:hidden">{group.prefix}</code>
          )}
          <span className="font-mono text-xs leading-5.5 break-words">{group.names.join(', ')}</span>
        </li>
      ))}
    </ul>
  );
}
