import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { KnowledgeSource } from '../../../contract/knowledge.ts';
import { RenameDialog } from '../../features/knowledge/rename-dialog.tsx';
import { SourceRow } from '../../features/knowledge/source-row.tsx';
import { TrySearch } from '../../features/knowledge/try-search.tsx';
import { Upload } from '../../features/knowledge/upload.tsx';
import { deleteSourceSoon, knowledgeDeletions, useKnowledge } from '../../features/knowledge/use-knowledge.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { useAgentNames } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Page, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

/** Everything that agents can search. */
export function KnowledgePage() {
  const text = useText();
  const knowledge = useKnowledge();
  const hidden = useStore(knowledgeDeletions.hidden);
  return (
    <Page title={text('nav.knowledge')}>
      <p className="mb-4 max-w-[62ch] text-fg-2">{text('knowledge.intro')}</p>
      <Section title={text('knowledge.sources')}>
        <Upload />
        <Loaded query={knowledge}>
          {({ sources }) => <AllSources sources={sources.filter(({ id }) => !hidden.has(id))} />}
        </Loaded>
      </Section>
      {knowledge.data && knowledge.data.sources.length > 0 && <TrySearch />}
    </Page>
  );
}

function AllSources({ sources }: { sources: readonly KnowledgeSource[] }) {
  const text = useText();
  const nameOf = useAgentNames();
  if (sources.length === 0) return <EmptyState title={text('knowledge.none')}>{text('knowledge.hint')}</EmptyState>;
  return (
    <ul
      aria-label={text('knowledge.sources')}
      className="mt-3 divide-y divide-line rounded-lg border border-line bg-surface"
    >
      {sources.map((source) => {
        const names = source.agents.map(({ agentId }) => nameOf(agentId)).join(', ');
        return (
          <SourceRow key={source.id} source={source} actions={<SourceVerbs source={source} />}>
            <p className="truncate text-xs text-fg-3">
              {names === '' ? text('knowledge.unused') : text('knowledge.agents', { names })}
            </p>
          </SourceRow>
        );
      })}
    </ul>
  );
}

function SourceVerbs({ source }: { source: KnowledgeSource }) {
  const text = useText();
  const { id, name } = source;
  const [isRenaming, setRenaming] = useState(false);
  const live = useLiveConnection();
  const remove = () => {
    const undo = deleteSourceSoon(live, id);
    notify({
      title: text('knowledge.deleted', { name }),
      undo: { label: text('action.undo'), run: () => void undo() },
    });
  };
  return (
    <>
      {source.kind === 'file' && (
        <IconButton label={text('knowledge.rename', { name })} onClick={() => setRenaming(true)}>
          <Pencil size={14} />
        </IconButton>
      )}
      <IconButton label={text('knowledge.delete', { name })} onClick={remove}>
        <Trash2 size={14} />
      </IconButton>
      {isRenaming && <RenameDialog source={source} onClose={() => setRenaming(false)} />}
    </>
  );
}
