import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Copy, Eye } from 'lucide-react';
import { memo } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import type { Session } from '../../../contract/sessions.ts';
import type { ToolInfo } from '../../../contract/tools.ts';
import type { Turn } from '../../../contract/turns.ts';
import { money, shortDate } from '../../i18n/formats.ts';
import { builtInText, language, useText } from '../../i18n/text.ts';
import { useAgent, useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection, useSession } from '../../live/use-live.ts';
import { providerName } from '../../state/model-line.ts';
import { hideModelInput, showModelInput, useShownInput } from '../../state/open-dialogs.ts';
import { toggle, WIDE } from '../../state/panes.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { notify } from '../../ui/toast.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { Delegations, Fact, Section, SubAgents } from './sections.tsx';
import { WorkspaceFact } from './workspace-fact.tsx';

/**
 * Beside a conversation, or over it where there is no room: its sub-agents and delegations, its agent, what that may use and
 * what it cost. Drawn when one of these changes, not with every token.
 */
export const Rail = memo(function Rail({ sessionId }: { sessionId: string }) {
  const text = useText();
  const isNarrow = useIsNarrow(WIDE.right);
  if (isNarrow) {
    return (
      <Sheet title={text('nav.details')} side="right" render={<aside />} onClose={() => toggle('right')}>
        <div className="min-h-0 flex-1 overflow-y-auto p-2">
          <Details sessionId={sessionId} />
        </div>
      </Sheet>
    );
  }
  return (
    <aside
      aria-label={text('nav.details')}
      className="w-(--side) flex-none overflow-y-auto border-l border-line bg-surface p-2 pt-4"
    >
      <Details sessionId={sessionId} />
    </aside>
  );
});

function Details({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  const agent = useAgent(session?.agentId ?? null);
  const children = useAgents().filter((other) => other.parentAgentId === agent?.agentId);
  return (
    <>
      {children.length > 0 && <SubAgents sessionId={sessionId} agents={children} />}
      <Delegations sessionId={sessionId} />
      {agent && <AgentFacts agent={agent} />}
      {agent && <ToolNames agentId={agent.agentId} />}
      <UsageFacts sessionId={sessionId} />
      {session && <SessionFacts session={session} />}
    </>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
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
        {agent.model !== '' && <Fact name={text('rail.model')}>{agent.model}</Fact>}
        <Fact name={text('rail.provider')}>{providerName(agent.provider)}</Fact>
      </dl>
      {agent.fullAuthority && <p className="px-2 text-xs text-danger">{text('rail.fullAuthority')}</p>}
    </Section>
  );
}

/** What this session has used; read again when a turn begins, waits or ends, but not because something was read. */
function UsageFacts({ sessionId }: { sessionId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const { lastActivityAt, status } = useSession(sessionId) ?? {};
  const { data } = useQuery({
    queryKey: ['usage', sessionId, lastActivityAt, status],
    queryFn: () => client.call('usage', { query: { session: sessionId } }),
    enabled: status !== undefined,
    placeholderData: (before) => before,
  });
  if (!data || data.total.turns === 0) return null;
  const number = new Intl.NumberFormat(language());
  const { turns, inputTokens, outputTokens, cost } = data.total;
  return (
    <Section title={text('rail.usage')}>
      <dl>
        <Fact name={text('rail.turns')}>{number.format(turns)}</Fact>
        <Fact name={text('rail.input')}>{number.format(inputTokens)}</Fact>
        <Fact name={text('rail.output')}>{number.format(outputTokens)}</Fact>
        {cost !== undefined && <Fact name={text('rail.cost')}>{money(cost, data.currency)}</Fact>}
      </dl>
    </Section>
  );
}

/** What the agent may use, by where it comes from; the names open. */
function ToolNames({ agentId }: { agentId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const { data } = useQuery({
    queryKey: ['tools', agentId, version],
    queryFn: () => client.call('listTools', { query: { agent: agentId } }),
  });
  const tools = data?.tools ?? [];
  return (
    <Section title={text('rail.tools')} count={tools.length}>
      {tools.length === 0 && <p className="px-2 text-xs text-fg-2">{text('rail.noTools')}</p>}
      {[...bySource(tools)].map(([source, those]) => (
        <Group key={source} source={source} tools={those} />
      ))}
    </Section>
  );
}

function Group({ source, tools }: { source: string; tools: readonly ToolInfo[] }) {
  return (
    <details className="group/tools">
      <summary className="flex min-h-6 cursor-pointer list-none items-center gap-1.5 rounded-md px-2 text-xs touch:min-h-11 hover:bg-hover">
        <ChevronRight size={12} aria-hidden="true" className="flex-none text-fg-3 group-open/tools:rotate-90" />
        <code className="min-w-0 flex-1 truncate font-mono">{source}</code>
        <span className="text-fg-3">{tools.length}</span>
      </summary>
      <ul className="pb-1 pl-6.5">
        {tools.map(({ name, description }) => (
          <li key={name} title={description} className="truncate font-mono text-2xs leading-5 text-fg-2">
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}

function bySource(tools: readonly ToolInfo[]): Map<string, ToolInfo[]> {
  return Map.groupBy(tools, ({ source }) => source.id);
}

function SessionFacts({ session }: { session: Session }) {
  const text = useText();
  const live = useLiveConnection();
  const { copy } = useCopy();
  const turns = useLive(({ states }) => states.get(session.id)?.turns);
  const newest = newestOf(turns?.values() ?? []);
  const setMode = (readOnly: boolean) =>
    void live.client
      .call('patchSession', { sessionId: session.id, body: { mode: readOnly ? 'read-only' : 'full' } })
      .then((changed) => live.note(changed))
      .catch((error: Error) => notify({ title: error.message }));
  return (
    <Section title={text('rail.session')}>
      <dl>
        <Fact name={text('rail.started')}>{shortDate(session.createdAt)}</Fact>
        <ImportedFact session={session} />
      </dl>
      <div className="flex items-center gap-1 px-2">
        <code className="min-w-0 flex-1 truncate font-mono text-2xs text-fg-3">{session.id}</code>
        <IconButton label={text('rail.copyId')} onClick={() => copy(session.id)}>
          <Copy size={13} />
        </IconButton>
      </div>
      <label className="flex min-h-7 items-center gap-2 px-2 text-xs text-fg-2">
        <input
          type="checkbox"
          checked={session.mode === 'read-only'}
          onChange={(event) => setMode(event.target.checked)}
        />
        {text('rail.readOnly')}
      </label>
      <WorkspaceFact session={session} />
      {newest && (
        <Button look="plain" className="mx-1 mt-1" onClick={() => showModelInput(session.id, newest.id)}>
          <Eye size={14} />
          {text('rail.seen')}
        </Button>
      )}
    </Section>
  );
}

/** The program whose session this is a copy of, and the folder that it worked in. */
function ImportedFact({ session: { attributes } }: { session: Session }) {
  const text = useText();
  const { program, folder } = importedFrom(attributes.imported);
  if (program === undefined) return null;
  return (
    <Fact name={text('rail.imported')}>
      <span title={folder}>
        {providerName(`${program}-cli`)}
        {folder && <bdi className="font-mono"> {folder}</bdi>}
      </span>
    </Fact>
  );
}

/** Attributes can be written by any client. */
function importedFrom(imported: unknown): { program?: string; folder?: string } {
  if (typeof imported !== 'object' || imported === null) return {};
  const { from, folder } = imported as Record<string, unknown>;
  if (typeof from !== 'string') return {};
  return { program: from, ...(typeof folder === 'string' && { folder }) };
}

/** Of those that have begun: who waits in line has not seen anything yet. */
function newestOf(turns: Iterable<Turn>): Turn | undefined {
  const begun = [...turns].filter(({ startedAt }) => startedAt !== null);
  return begun.reduce<Turn | undefined>(
    (one, other) => (one && one.startedAt! > other.startedAt! ? one : other),
    undefined,
  );
}

const SeenDialog = lazyDialog(async () => (await import('./seen-dialog.tsx')).SeenDialog);

/** Loaded when it is first wanted. */
export function ModelInputHost({ sessionId }: { sessionId: string }) {
  const shown = useShownInput();
  if (shown?.sessionId !== sessionId) return null;
  return <SeenDialog {...shown} onTurn={(turnId) => showModelInput(sessionId, turnId)} onClose={hideModelInput} />;
}
