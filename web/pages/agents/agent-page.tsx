import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { AgentDetail } from '../../../contract/agents.ts';
import type { Draft } from '../../features/agent-editor/saved-agent-editor.tsx';
import { useText } from '../../i18n/agent-words.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LeaveDialog } from '../../ui/leave-dialog.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AgentActions, AgentSummary } from './agent-header.tsx';
import { Overview } from './overview.tsx';
import { TestMessage } from './test-message.tsx';

const SavedAgentEditor = lazyPart(
  async () => (await import('../../features/agent-editor/saved-agent-editor.tsx')).SavedAgentEditor,
  {
    loading: EditorLoading,
  },
);

const AgentKnowledge = lazyPart(
  async () => (await import('../../features/knowledge/agent-knowledge.tsx')).AgentKnowledge,
  { loading: EditorLoading },
);

const MemoryTab = lazyPart(async () => (await import('./memory-tab.tsx')).MemoryTab);

const TABS = ['overview', 'memory', 'knowledge', 'form', 'json'] as const;
type Tab = (typeof TABS)[number];

/** One agent: what it is and may do, and its definition to change. */
export function AgentPage() {
  const { _splat: agentId = '' } = useParams({ strict: false });
  const detail = useAgentDetail(agentId);
  return detail.data ? (
    <Detail key={agentId} detail={detail.data} />
  ) : (
    <Page title={agentId}>
      <Loaded query={detail}>{() => null}</Loaded>
    </Page>
  );
}

function useAgentDetail(agentId: string) {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  return useQuery({
    queryKey: ['agent', agentId, version],
    queryFn: () => client.call('getAgent', { agentId }),
    // The same agent as it was, while it is read anew.
    placeholderData: (before) => (before?.agentId === agentId ? before : undefined),
    staleTime: 0,
  });
}

function Detail({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const { tab, choose } = useTab();
  const [draft, setDraft] = useState<Draft | null>(null);
  const [isTesting, setTesting] = useState(false);
  return (
    <Page
      title={detail.displayName}
      width={isTesting ? 'full' : 'column'}
      lead={<AgentTile agentId={detail.agentId} agent={detail} size={28} />}
      actions={<AgentActions detail={detail} isTesting={isTesting} onTest={() => setTesting(!isTesting)} />}
    >
      <AgentSummary detail={detail} />
      <div className="flex flex-col-reverse gap-x-8 gap-y-6 xl:flex-row">
        <div className="min-w-0 max-w-[860px] flex-1">
          <Tabs
            label={detail.displayName}
            tabs={TABS.map((id) => ({ id, title: text(`agents.tab.${id}`) }))}
            chosen={tab}
            onChoose={choose}
          >
            {tab === 'overview' ? (
              <Overview detail={detail} />
            ) : tab === 'knowledge' ? (
              <AgentKnowledge detail={detail} />
            ) : tab === 'memory' ? (
              <MemoryTab agentId={detail.agentId} />
            ) : (
              <SavedAgentEditor detail={detail} draft={draft} onDraft={setDraft} tab={tab} onTab={choose} />
            )}
          </Tabs>
        </div>
        {isTesting && <TestMessage detail={detail} isChanged={draft !== null} onClose={() => setTesting(false)} />}
      </div>
      <LeaveDialog isChanged={draft !== null} />
    </Page>
  );
}

/** The tab is in the address, so that a link can lead to it. */
function useTab(): { tab: Tab; choose(tab: Tab): void } {
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  return {
    tab: TABS.find((tab) => tab === hash) ?? 'overview',
    choose: (tab) => void navigate({ to: '.', hash: tab === 'overview' ? '' : tab, replace: true }),
  };
}

function EditorLoading() {
  const text = useText();
  return <p className="text-fg-3">{text('app.loading')}</p>;
}
