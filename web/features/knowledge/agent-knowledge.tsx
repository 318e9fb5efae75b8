import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { AgentDetail } from '../../../contract/agents.ts';
import type { KnowledgeSource } from '../../../contract/knowledge.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { serverText } from '../../i18n/text.ts';
import { useAgentNames, useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Check } from '../../ui/field.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { SourceRow } from './source-row.tsx';
import { TrySearch } from './try-search.tsx';
import { Upload } from './upload.tsx';
import { useKnowledge, useKnowledgeVerb } from './use-knowledge.ts';

const AddDialog = lazyDialog(async () => (await import('./add-dialog.tsx')).AddDialog);

/** What an agent can search: its own, and what it has from the agents above it. */
export function AgentKnowledge({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const { agentId, displayName } = detail;
  const knowledge = useKnowledge(agentId);
  const [isAdding, setAdding] = useState(false);
  const hasSome = (knowledge.data?.sources.length ?? 0) > 0;
  return (
    <>
      <Section
        title={text('knowledge.sources')}
        hint={text('knowledge.hint')}
        actions={
          <Button onClick={() => setAdding(true)}>
            <Plus size={14} />
            {text('knowledge.addOther')}
          </Button>
        }
      >
        {hasSome && <NotAllowed agentId={agentId} />}
        <Upload agentId={agentId} />
        <Loaded query={knowledge}>
          {({ sources, embeddings }) => (
            <>
              {embeddings?.problem && (
                <p role="status" className="mb-3 text-danger">
                  {serverText(embeddings.problem, embeddings.text)}
                </p>
              )}
              <SourceList agentId={agentId} sources={sources} />
            </>
          )}
        </Loaded>
        <p className="mt-3">
          <Link to="/knowledge" className="touch-link text-link underline">
            {text('knowledge.all')}
          </Link>
        </p>
      </Section>
      {hasSome && <TrySearch agentId={agentId} />}
      {isAdding && <AddDialog agentId={agentId} name={displayName} onClose={() => setAdding(false)} />}
    </>
  );
}

/** Why its rights keep it from searching, if they do. */
function NotAllowed({ agentId }: { agentId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const explanation = useQuery({
    queryKey: ['explanation', agentId, 'knowledge_search', version],
    queryFn: () => client.call('explain', { query: { agent: agentId, tool: 'knowledge_search' } }),
    staleTime: 0,
  });
  const tool = explanation.data?.tools.find(({ tool: name }) => name === 'knowledge_search');
  if (!tool || tool.decision.allowed) return null;
  return (
    <p role="status" className="mb-3 rounded-lg border border-danger/50 bg-surface px-3 py-2.5">
      {text('knowledge.notAllowed', { reason: serverText(tool.decision.reason, tool.decision.reasonText) })}
    </p>
  );
}

function SourceList({ agentId, sources }: { agentId: string; sources: readonly KnowledgeSource[] }) {
  const text = useText();
  if (sources.length === 0) return <p className="mt-3 text-fg-2">{text('knowledge.none')}</p>;
  return (
    <ul
      aria-label={text('knowledge.sources')}
      className="mt-3 divide-y divide-line rounded-lg border border-line bg-surface"
    >
      {sources.map((source) => (
        <AgentSource key={source.id} agentId={agentId} source={source} />
      ))}
    </ul>
  );
}

function AgentSource({ agentId, source }: { agentId: string; source: KnowledgeSource }) {
  const text = useText();
  const nameOf = useAgentNames();
  const hasChildren = useAgents().some(({ parentAgentId }) => parentAgentId === agentId);
  const setUse = useSetUse(source.id, agentId);
  const own = source.agents.find((use) => use.agentId === agentId);
  const from = source.agents.filter(({ children }) => children).map((use) => nameOf(use.agentId));
  return (
    <SourceRow source={source} actions={own && <DetachButton agentId={agentId} source={source} />}>
      {!own && <p className="text-xs text-fg-3">{text('knowledge.from', { name: from.join(', ') })}</p>}
      {own && hasChildren && (
        <div className="mt-1 text-xs">
          <Sharing isOn={own.children} onChange={setUse} />
        </div>
      )}
    </SourceRow>
  );
}

/** Shown as chosen while the server is told. */
function Sharing({ isOn, onChange }: { isOn: boolean; onChange(isOn: boolean): Promise<unknown> }) {
  const text = useText();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const change = async (next: boolean) => {
    setChosen(next);
    await onChange(next);
    setChosen(null);
  };
  return (
    <Check isOn={chosen ?? isOn} onCheck={(next) => void change(next)}>
      {text('knowledge.children')}
    </Check>
  );
}

function useSetUse(sourceId: string, agentId: string): (children: boolean) => Promise<boolean> {
  const { client } = useLiveConnection();
  const attempt = useKnowledgeVerb();
  return (children) => attempt(() => client.call('useKnowledge', { sourceId, agentId, body: { children } }));
}

/** It stays with the person; undo gives it back to the agent. */
function DetachButton({ agentId, source: { id, name, agents } }: { agentId: string; source: KnowledgeSource }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useKnowledgeVerb();
  const setUse = useSetUse(id, agentId);
  const hadChildren = agents.some((use) => use.agentId === agentId && use.children);
  const detach = async () => {
    if (!(await attempt(() => client.call('stopUsingKnowledge', { sourceId: id, agentId })))) return;
    const undo = { label: text('action.undo'), run: () => void setUse(hadChildren) };
    notify({ title: text('knowledge.detached', { name }), undo });
  };
  return (
    <IconButton label={text('knowledge.detach', { name })} onClick={() => void detach()}>
      <X size={15} />
    </IconButton>
  );
}
