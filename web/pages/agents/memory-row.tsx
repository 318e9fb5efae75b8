import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Author } from '../../../contract/artifacts.ts';
import type { Memory } from '../../../contract/memory.ts';
import { useText } from '../../i18n/agent-words.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { Badge, Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { useMemoryVerb } from './use-memory-verb.ts';

export function MemoryRow({ memory, onEdit }: { memory: Memory; onEdit(): void }) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const { topic, text: words, tags } = memory;
  const short = words.slice(0, 40);
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          {(topic || tags.length > 0) && (
            <p className="flex flex-wrap gap-1.5 text-xs text-fg-2">
              <span dir="auto" className="font-semibold">
                {topic}
              </span>
              {tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </p>
          )}
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {words}
          </p>
          <p className="text-xs text-fg-3">
            <Origin memory={memory} />
          </p>
        </div>
        <span className="flex flex-none gap-0.5">
          <IconButton
            label={text('agents.memory.history', { text: short })}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <History size={15} />
          </IconButton>
          <IconButton label={text('agents.memory.edit', { text: short })} onClick={onEdit}>
            <Pencil size={14} />
          </IconButton>
          <DeleteButton memory={memory} label={text('agents.memory.delete', { text: short })} />
        </span>
      </div>
      {isOpen && <Changes memory={memory} />}
    </li>
  );
}

/** Who remembered it and when, and the way to the message it came from. */
function Origin({ memory: { createdBy, createdAt, origin } }: { memory: Memory }) {
  const text = useText();
  const who = useAuthorAndTime(createdBy, createdAt);
  if (!origin && createdBy !== null && createdBy.kind !== 'agent') return who;
  return (
    <>
      {who}
      {' · '}
      {origin ? (
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: origin.sessionId }}
          search={origin.messageId ? { message: origin.messageId } : {}}
          className="touch-link text-link hover:underline"
        >
          {text('agents.memory.from', { title: sessionTitle(origin.sessionTitle) })}
        </Link>
      ) : (
        text(createdBy === null ? 'agents.memory.unknown' : 'agents.memory.gone')
      )}
    </>
  );
}

function useAuthorAndTime(by: Author | null, at: string): string {
  const text = useText();
  const name = useAgentName(by?.agentId ?? null);
  const when = relativeTime(at, useNow());
  if (by === null) return when;
  if (by.kind === 'agent') return text('agents.memory.byAgent', { name, when });
  return text(by.kind === 'person' ? 'agents.memory.byPerson' : 'agents.memory.byImport', { when });
}

function Changes({ memory: { id, version, text: words } }: { memory: Memory }) {
  const text = useText();
  const { client } = useLiveConnection();
  const live = useLive((state) => state.memoryVersion);
  const changes = useQuery({
    queryKey: ['memory-changes', id, version, live],
    queryFn: () => client.call('listMemoryChanges', { memoryId: id }),
    placeholderData: (before) => before,
  });
  return (
    <section aria-label={text('agents.memory.history', { text: words.slice(0, 40) })} className="mt-2">
      <Loaded query={changes}>
        {({ changes: list }) => (
          <ol className="divide-y divide-line border-y border-line text-xs">
            {list.map((change) => (
              <li key={change.version} className="flex flex-wrap gap-x-3 py-1.5">
                <span className="w-44 text-fg-2">
                  {text(`agents.memory.change.${change.type}`)}, <ByAndAt by={change.by} at={change.at} />
                </span>
                <span dir="auto" className="min-w-0 flex-1 basis-40 break-words whitespace-pre-wrap">
                  {change.text}
                </span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  );
}

function ByAndAt({ by, at }: { by: Author | null; at: string }) {
  return useAuthorAndTime(by, at);
}

function DeleteButton({ memory: { id }, label }: { memory: Memory; label: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useMemoryVerb();
  const restore = () => attempt(() => client.call('undeleteMemory', { memoryId: id }));
  const remove = async () => {
    if (!(await attempt(() => client.call('deleteMemory', { memoryId: id, query: {} })))) return;
    notify({ title: text('agents.memory.deleted'), undo: { label: text('action.undo'), run: () => void restore() } });
  };
  return (
    <IconButton label={label} onClick={() => void remove()}>
      <Trash2 size={14} />
    </IconButton>
  );
}
