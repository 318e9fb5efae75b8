import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import type { Agent, AgentList } from '../../../contract/agents.ts';
import type { Session } from '../../../contract/sessions.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { sessionTitle, useLanguage, useText } from '../../i18n/text.ts';
import { useAgentList, useSpeakerName } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { plainSnippet } from '../../markdown/plain-snippet.tsx';
import { isBuilder } from '../../state/choose-agent.ts';
import { usePanes, WIDE } from '../../state/panes.ts';
import { useTeams } from '../../state/teams.ts';
import { useDeletedAgents, useHidden } from '../../state/undoable-deletions.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Loaded, Page, Section } from '../../ui/page.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { useIsNarrow } from '../../ui/use-media.ts';
import { AgentCard } from './agent-card.tsx';
import { AgentTree } from './agent-tree.tsx';
import { FirstSteps } from './first-steps.tsx';
import { recentSessions } from './needs-you.ts';
import { NeedsYou } from './needs-you.tsx';

const NewlyFoundAgents = lazyPart(
  async () => (await import('../../features/discovery/found-agents.tsx')).NewlyFoundAgents,
);

/** Loaded for those who have teams. */
const Teams = lazyPart(async () => (await import('./teams.tsx')).Teams);

/** What needs the person, whom they can talk to, and where they were, unless the sidebar shows that. */
export function DashboardPage() {
  const text = useText();
  const list = useAgentList();
  const isNarrow = useIsNarrow(WIDE.left);
  const hasSidebar = usePanes().left && !isNarrow;
  return (
    <Page title={text('nav.dashboard')} width="full">
      <div className="flex flex-col gap-x-10 lg:flex-row">
        <div className="min-w-0 flex-1">
          <NeedsYou />
          <Loaded query={list}>{(data) => <Agents list={data} />}</Loaded>
        </div>
        {!hasSidebar && (
          <div className="flex-none lg:w-[272px]">
            <RecentSessions />
          </div>
        )}
      </div>
    </Page>
  );
}

/** Those one talks to come before the one that makes them. */
function Agents({ list: { agents: all, configuration } }: { list: AgentList }) {
  const agents = all.toSorted((one, other) => Number(isBuilder(one)) - Number(isBuilder(other)));
  return (
    <>
      {configuration.issues.length > 0 && <Refused issues={configuration.issues} />}
      <FirstSteps agents={agents} />
      <NewlyFoundAgents />
      <AgentGrid agents={agents} />
      <TeamsOrNothing />
      <AgentTree agents={agents} />
    </>
  );
}

/** The way to the first team is beside that to the first agent. */
function TeamsOrNothing() {
  return useTeams().length === 0 ? null : <Teams />;
}

/** The configuration files contain errors. */
function Refused({ issues }: { issues: readonly string[] }) {
  const text = useText();
  return (
    <div role="status" className="mb-6 rounded-lg border border-danger/50 bg-surface px-3 py-2.5">
      <p className="font-medium">{text('dashboard.refused')}</p>
      <ul className="mt-1 list-disc pl-5 font-mono text-xs text-fg-2">
        {issues.map((issue) => (
          <li key={issue}>{issue}</li>
        ))}
      </ul>
    </div>
  );
}

/** Everyone the person can talk to. */
function AgentGrid({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  const [withHidden, setWithHidden] = useState(false);
  const hidden = agents.filter(({ uiVisible }) => !uiVisible).length;
  const deleted = useDeletedAgents();
  const shown = agents.filter(({ agentId, uiVisible }) => (uiVisible || withHidden) && !deleted.has(agentId));
  return (
    <Section
      title={text('dashboard.agents')}
      actions={
        <>
          <Link to="/teams" className={buttonClass('plain')}>
            {text('nav.teams')}
          </Link>
          <NewAgent />
        </>
      }
    >
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

function RecentSessions() {
  const text = useText();
  const sessions = useLive((state) => state.sessions);
  const isListed = useLive((state) => state.isListed);
  const hidden = useHidden();
  const recent = useMemo(() => recentSessions(sessions.values(), hidden), [sessions, hidden]);
  return (
    <Section title={text('dashboard.recent')}>
      {isListed && recent.length === 0 && <p className="text-fg-2">{text('dashboard.noSessions')}</p>}
      {!isListed && <p className="text-fg-3">{text('app.loading')}</p>}
      <ul className="-mx-2">
        {recent.map((session) => (
          <Recent key={session.id} session={session} />
        ))}
      </ul>
    </Section>
  );
}

/** With its last words, which say more than a title about where it stands. */
const Recent = memo(function Recent({ session }: { session: Session }) {
  useLanguage();
  const now = useNow();
  const name = useSpeakerName(session);
  const words = plainSnippet(session.lastSnippet);
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session.id }}
        className="block rounded-md px-2 py-2 hover:bg-hover"
      >
        <span className="flex items-center gap-2">
          <StatusDot status={session.status} />
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
            {sessionTitle(session.title)}
          </span>
          <time dateTime={session.lastActivityAt} className="flex-none text-xs text-fg-3">
            {relativeTime(session.lastActivityAt, now)}
          </time>
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-2 pl-4.5 text-xs text-fg-2">
          {name && <span className="text-fg-3">{words ? `${name}: ` : name}</span>}
          {words}
        </span>
      </Link>
    </li>
  );
});
