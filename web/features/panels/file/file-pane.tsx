import { useQuery } from '@tanstack/react-query';
import { AppWindow, ArrowLeftRight, Download } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { type SessionState, shownMessages } from '../../../../client/session-state.ts';
import type { Part } from '../../../../contract/messages.ts';
import { fileSize } from '../../../i18n/formats.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useConversation, useLiveConnection } from '../../../live/use-live.ts';
import { Markdown } from '../../../markdown/markdown.tsx';
import { previewKindOf } from '../../../markdown/previews.ts';
import { revealHidden } from '../../../markdown/safe-url.ts';
import { showInPanel, tellPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { openPreview } from '../../../state/previews.ts';
import { IconButton } from '../../../ui/button.tsx';
import { saveFile, useFileAddress } from '../../../ui/own-file.ts';
import { Failure } from '../../../ui/page.tsx';

/** One whose contents are kept: those of imported conversations may be missing. */
type FilePart = Extract<Part, { type: 'file' }> & { fileId: string };

/** A file of the conversation beside it; without one, the choice which. */
export function FilePane({ sessionId, panelId, artifactId }: PanelProps) {
  const state = useConversation(sessionId);
  const files = useMemo(() => (state ? filesIn(state) : []), [state]);
  const file = files.find(({ fileId }) => fileId === artifactId);
  if (!file) return <Choice files={files} onChoose={(id) => showInPanel(sessionId, panelId, id)} />;
  return <OneFile sessionId={sessionId} panelId={panelId} file={file} />;
}

const found = new WeakMap<SessionState['messages'], readonly FilePart[]>();

/** Looked for when something was said, not with every token. The newest comes first. */
function filesIn(state: SessionState): readonly FilePart[] {
  const known = found.get(state.messages);
  if (known) return known;
  const parts = shownMessages(state).flatMap(({ parts }) => parts.filter(isKept));
  const files = [...new Map(parts.map((part) => [part.fileId, part])).values()].reverse();
  found.set(state.messages, files);
  return files;
}

function isKept(part: Part): part is FilePart {
  return part.type === 'file' && part.fileId !== null;
}

function Choice({ files, onChoose }: { files: readonly FilePart[]; onChoose(fileId: string): void }) {
  const text = useText();
  if (files.length === 0) return <p className="p-4 text-fg-2">{text('file.none')}</p>;
  return (
    <ul aria-label={text('file.choose')} className="min-h-0 flex-1 overflow-y-auto p-1.5">
      {files.map(({ fileId, name, bytes }) => (
        <li key={fileId}>
          <button
            type="button"
            onClick={() => onChoose(fileId)}
            className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover"
          >
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <span className="text-xs text-fg-3">{fileSize(bytes)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface FileProps {
  sessionId: string;
  panelId: string;
  file: FilePart;
}

function OneFile({ sessionId, panelId, file }: FileProps) {
  const text = useText();
  const { client } = useLiveConnection();
  const { fileId, name, bytes } = file;
  useEffect(() => {
    tellPanel(sessionId, panelId, { title: name, item: { type: 'file', id: fileId, name }, view: null });
  }, [sessionId, panelId, fileId, name]);
  return (
    <>
      <header className="flex min-h-10 flex-none items-center gap-1 border-b border-line px-3">
        <span className="min-w-0 flex-1 truncate text-xs text-fg-3">{fileSize(bytes)}</span>
        <IconButton label={text('file.save', { name })} onClick={() => void saveFile(client, fileId, name)}>
          <Download size={15} />
        </IconButton>
        <IconButton label={text('file.another')} onClick={() => showInPanel(sessionId, panelId, null)}>
          <ArrowLeftRight size={15} />
        </IconButton>
      </header>
      <Contents sessionId={sessionId} file={file} />
    </>
  );
}

function Contents({ sessionId, file }: { sessionId: string; file: FilePart }) {
  const text = useText();
  switch (file.kind) {
    case 'image':
      return <Picture file={file} />;
    case 'text':
      return <TextFile sessionId={sessionId} file={file} />;
    default:
      return <p className="p-4 text-fg-2">{text('file.notShown')}</p>;
  }
}

function Picture({ file: { fileId, name } }: { file: FilePart }) {
  const address = useFileAddress(fileId);
  return (
    <div className="min-h-0 flex-1 overflow-auto p-3">
      <img src={address} alt={name} className="mx-auto max-w-full" />
    </div>
  );
}

const MOST_SHOWN = 500_000;

function TextFile({ sessionId, file: { fileId, name } }: { sessionId: string; file: FilePart }) {
  const text = useText();
  const { client } = useLiveConnection();
  const read = useQuery({
    queryKey: ['file-text', fileId],
    queryFn: async () => (await client.readFile(fileId)).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (read.isError)
    return (
      <div className="p-3">
        <Failure error={read.error} retry={() => void read.refetch()} />
      </div>
    );
  if (read.data === undefined) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  const all = read.data;
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  const kind = previewKindOf(ending === 'mmd' ? 'mermaid' : ending === 'htm' ? 'html' : ending, all);
  return (
    <>
      {kind && (
        <p className="flex flex-none items-center border-b border-line px-3">
          <span className="flex-1" />
          <IconButton label={text('preview.open')} onClick={() => openPreview(sessionId, { kind, text: all })}>
            <AppWindow size={14} />
          </IconButton>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-3">
        {ending === 'md' || ending === 'markdown' ? (
          <Markdown text={all} />
        ) : (
          <pre dir="auto" className="font-mono text-xs">
            {revealHidden(all.slice(0, MOST_SHOWN))}
          </pre>
        )}
        {all.length > MOST_SHOWN && <p className="mt-2 text-fg-3">{text('file.cut')}</p>}
      </div>
    </>
  );
}
