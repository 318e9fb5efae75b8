import type { AgentList } from '../../../contract/agents.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentList } from '../../live/use-agents.ts';
import { isBuilder } from '../../state/choose-agent.ts';
import { usePanes, WIDE } from '../../state/panes.ts';
import { Loaded, Page } from '../../ui/page.tsx';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { AgentGrid } from './agent-grid.tsx';
import { AgentTree } from './agent-tree.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsYou } from './needs-you.tsx';
import { RecentSessions } from './recent-sessions.tsx';

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
      <AgentGrid agents={agents} />
      <AgentTree agents={agents} />
    </>
  );
}

/** Somebody changed the files by hand and slipped. */
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
