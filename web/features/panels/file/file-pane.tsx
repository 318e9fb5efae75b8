import { useMemo } from 'react';
import { type SessionState, shownMessages } from '../../../../client/session-state.ts';
import type { Part } from '../../../../contract/messages.ts';
import { Chooser } from '../../../artifacts/chooser.tsx';
import { fileSize } from '../../../i18n/formats.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useConversation } from '../../../live/use-live.ts';
import { showInPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { AttachedFile, type AttachedPart } from './attached-file.tsx';
import { KeptFile } from './kept-file.tsx';

/** A file that is kept, or one of the conversation; without one, the choice which. */
export function FilePane({ sessionId, panelId, artifactId }: PanelProps) {
  const text = useText();
  const state = useConversation(sessionId);
  const files = useMemo(() => (state ? filesIn(state) : []), [state]);
  if (artifactId === null) return <Choice sessionId={sessionId} panelId={panelId} files={files} />;
  const file = files.find(({ fileId }) => fileId === artifactId);
  if (file) return <AttachedFile sessionId={sessionId} panelId={panelId} file={file} />;
  if (sessionId !== '' && !state) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  return <KeptFile sessionId={sessionId} panelId={panelId} fileId={artifactId} />;
}

const found = new WeakMap<SessionState['messages'], readonly AttachedPart[]>();

/** Looked for when something was said, not with every token. The newest comes first. */
function filesIn(state: SessionState): readonly AttachedPart[] {
  const known = found.get(state.messages);
  if (known) return known;
  const parts = shownMessages(state).flatMap(({ parts }) => parts.filter(isKept));
  const files = [...new Map(parts.map((part) => [part.fileId, part])).values()].reverse();
  found.set(state.messages, files);
  return files;
}

/** One whose contents are here: those of imported conversations may be missing. */
function isKept(part: Part): part is AttachedPart {
  return part.type === 'file' && part.fileId !== null;
}

interface ChoiceProps {
  sessionId: string;
  panelId: string;
  files: readonly AttachedPart[];
}

/** What the agents of the conversation made as a file of its own is among all files. */
function Choice({ sessionId, panelId, files }: ChoiceProps) {
  const text = useText();
  const choose = (id: string) => showInPanel(sessionId, panelId, id);
  const attached = files.filter(({ artifactId }) => artifactId === undefined);
  return (
    <>
      {attached.length > 0 && (
        <section
          aria-label={text('file.choose')}
          className="max-h-1/2 flex-none overflow-y-auto border-b border-line p-1.5"
        >
          <h3 className="px-2 py-1 text-xs text-fg-3">{text('file.choose')}</h3>
          <ul>
            {attached.map(({ fileId, name, bytes }) => (
              <li key={fileId}>
                <button
                  type="button"
                  onClick={() => choose(fileId)}
                  className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 text-left touch:min-h-11 hover:bg-hover"
                >
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {name}
                  </span>
                  <span className="text-xs text-fg-3">{fileSize(bytes)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Chooser kind="file" onChoose={choose} />
    </>
  );
}
