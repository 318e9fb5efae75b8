import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { type SessionState, shownMessages } from '../../../../client/session-state.ts';
import type { ChangedFile, DiffPart, Message } from '../../../../contract/messages.ts';
import { clockTime } from '../../../i18n/formats.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useAgentNames } from '../../../live/use-agents.ts';
import { useConversation, useLiveConnection } from '../../../live/use-live.ts';
import { revealHidden } from '../../../markdown/safe-url.ts';
import { tellPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { cx } from '../../../ui/cx.ts';
import { type LineComment, useComments } from './comments.ts';
import { FileLines } from './file-lines.tsx';
import { sectionsOf } from './read-patch.ts';

/** What one answer changed. */
interface Change {
  readonly message: Message;
  readonly diff: DiffPart;
}

/** What agents changed in their workspaces: by answer, file by file. */
export function ChangesPane({ sessionId, panelId }: PanelProps) {
  const text = useText();
  const state = useConversation(sessionId);
  const changes = useMemo(() => (state ? changesIn(state) : []), [state]);
  const [chosenId, choose] = useState<string | null>(null);
  const chosen = changes.find(({ message }) => message.id === chosenId) ?? changes.at(-1);
  const comments = useComments(sessionId);
  useEffect(() => {
    tellPanel(sessionId, panelId, { title: text('panel.kind.changes'), item: null, view: null });
  }, [sessionId, panelId, text]);
  if (!chosen) return <p className="p-4 text-fg-2">{text('changes.none')}</p>;
  return (
    <>
      <header className="flex min-h-10 flex-none flex-wrap items-center gap-2 border-b border-line px-3 py-1">
        <AnswerChoice changes={changes} chosen={chosen} onChoose={choose} />
        <p role="status" className="flex-1 text-xs text-fg-2">
          {comments.length > 0 && text('changes.waiting', { count: comments.length })}
        </p>
      </header>
      <Files key={chosen.message.id} sessionId={sessionId} diff={chosen.diff} comments={comments} />
    </>
  );
}

const found = new WeakMap<SessionState['messages'], { headId: string | null; changes: readonly Change[] }>();

/** Looked for when something was said, not with every token. */
function changesIn(state: SessionState): readonly Change[] {
  const known = found.get(state.messages);
  if (known?.headId === state.headId) return known.changes;
  const changes = shownMessages(state).flatMap((message) =>
    message.parts.flatMap((part) => (part.type === 'diff' && part.files.length > 0 ? [{ message, diff: part }] : [])),
  );
  found.set(state.messages, { headId: state.headId, changes });
  return changes;
}

interface ChoiceProps {
  changes: readonly Change[];
  chosen: Change;
  onChoose(messageId: string): void;
}

function AnswerChoice({ changes, chosen, onChoose }: ChoiceProps) {
  const text = useText();
  const nameOf = useAgentNames();
  return (
    <select
      aria-label={text('changes.answer')}
      value={chosen.message.id}
      onChange={({ target }) => onChoose(target.value)}
      className="h-7 max-w-full min-w-0 rounded-md border border-line bg-surface px-1.5 touch:text-md"
    >
      {changes.map(({ message, diff }) => (
        <option key={message.id} value={message.id}>
          {text('changes.of', {
            name: message.agent === null ? '' : nameOf(message.agent),
            time: clockTime(message.createdAt),
            count: diff.files.length,
          })}
        </option>
      ))}
    </select>
  );
}

interface FilesProps {
  sessionId: string;
  diff: DiffPart;
  comments: readonly LineComment[];
}

function Files({ sessionId, diff, comments }: FilesProps) {
  const text = useText();
  const { client } = useLiveConnection();
  const { files, patchId, isCut } = diff;
  const patch = useQuery({
    queryKey: ['patch', patchId],
    queryFn: async () => (await client.readFile(patchId!)).text(),
    enabled: patchId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const sections = useMemo(() => sectionsOf(patch.data ?? ''), [patch.data]);
  const isMissing = patchId === null || patch.isError;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {isMissing && <p className="px-3 py-2 text-fg-2">{text('diff.missing')}</p>}
      <ul>
        {files.map((file, index) => (
          <File
            key={file.path}
            sessionId={sessionId}
            file={file}
            section={isMissing ? null : (sections.get(file.path) ?? '')}
            comments={comments.filter(({ path }) => path === file.path)}
            isFirst={index === 0}
          />
        ))}
      </ul>
      {isCut && <p className="px-3 py-2 text-fg-3">{text('diff.longer')}</p>}
    </div>
  );
}

interface FileProps {
  sessionId: string;
  file: ChangedFile;
  /** Its part of the patch; null: there is none any more. */
  section: string | null;
  comments: readonly LineComment[];
  isFirst: boolean;
}

function File({ sessionId, file, section, comments, isFirst }: FileProps) {
  const text = useText();
  const [isOpen, setOpen] = useState(isFirst || comments.length > 0);
  const { path, from, kind, added, removed } = file;
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="sticky top-0 z-10 flex min-h-8 w-full items-center gap-2 bg-bg px-3 text-left text-xs hover:bg-hover"
      >
        <ChevronRight
          size={13}
          aria-hidden="true"
          className={cx('flex-none text-fg-3 transition-transform', isOpen && 'rotate-90')}
        />
        <span className="min-w-0 flex-1 truncate font-mono text-fg" title={path}>
          {revealHidden(from === undefined ? path : `${from} → ${path}`)}
        </span>
        {comments.length > 0 && <span className="text-fg-2">{text('changes.count', { count: comments.length })}</span>}
        {kind !== 'changed' && <span className="flex-none text-fg-3">{text(`diff.${kind}`)}</span>}
        {added === null ? (
          <span className="flex-none text-fg-3">{text('diff.binary')}</span>
        ) : (
          <span className="flex-none font-mono">
            <span className="text-[var(--st-completed)]">+{added}</span>{' '}
            <span className="text-danger">−{removed ?? 0}</span>
          </span>
        )}
      </button>
      {isOpen && section !== null && (
        <FileLines sessionId={sessionId} path={path} section={section} comments={comments} />
      )}
    </li>
  );
}
