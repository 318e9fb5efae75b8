import { ArrowLeftRight, Ellipsis, FilePen, History, Link2, SquarePen, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Note } from '../../../../contract/notes.ts';
import { AuthorTile, moment, useAuthorName } from '../../../artifacts/author.tsx';
import { Chooser } from '../../../artifacts/chooser.tsx';
import { ConflictDialog } from '../../../artifacts/conflict-dialog.tsx';
import { withLinks } from '../../../artifacts/note-markdown.ts';
import { removeArtifact } from '../../../artifacts/trash.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Markdown } from '../../../markdown/markdown.tsx';
import { SafeLink } from '../../../markdown/safe-link.tsx';
import { artifactLink, artifactPath } from '../../../state/artifact-links.ts';
import { closePanel, showInPanel, tellPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { Failure } from '../../../ui/page.tsx';
import { ToggleButton } from '../../../ui/toggle-button.tsx';
import { useCopy } from '../../../ui/use-copy.ts';
import { NoteForm } from './note-form.tsx';
import { type NoteEditing, useNote } from './use-note.ts';
import { VersionsDialog } from './versions-dialog.tsx';

/** A note beside the conversation; without one, the choice which. */
export function NotePane({ sessionId, panelId, artifactId }: PanelProps) {
  if (artifactId === null)
    return <Chooser kind="note" onChoose={(chosen) => showInPanel(sessionId, panelId, chosen)} />;
  return <OneNote sessionId={sessionId} panelId={panelId} noteId={artifactId} />;
}

interface OfPanel {
  sessionId: string;
  panelId: string;
}

function OneNote({ sessionId, panelId, noteId }: OfPanel & { noteId: string }) {
  const text = useText();
  const editing = useNote(noteId);
  const { note, problem } = editing;
  const name = note?.name;
  useEffect(() => {
    if (name === undefined) return;
    tellPanel(sessionId, panelId, { title: name, item: { type: 'note', id: noteId, name }, view: null });
  }, [sessionId, panelId, noteId, name]);
  if (problem && !note)
    return (
      <div className="p-3">
        <Failure error={problem} retry={editing.reread} />
      </div>
    );
  if (!note) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  return <Shown sessionId={sessionId} panelId={panelId} note={note} editing={editing} />;
}

interface ShownProps extends OfPanel {
  note: Note;
  editing: NoteEditing;
}

function Shown({ sessionId, panelId, note, editing }: ShownProps) {
  const text = useText();
  const [isWriting, setWriting] = useState(note.text === '');
  const { conflicts } = editing;
  return (
    <>
      <header className="flex flex-none items-center gap-1 border-b border-line px-2 py-1">
        <ToggleButton isOn={!isWriting} onPress={() => setWriting(false)}>
          {text('note.read')}
        </ToggleButton>
        <ToggleButton isOn={isWriting} onPress={() => setWriting(true)}>
          {text('note.write')}
        </ToggleButton>
        <State editing={editing} note={note} />
        <NoteMenu sessionId={sessionId} panelId={panelId} note={note} />
      </header>
      {isWriting ? (
        <Editor editing={editing} onRead={() => setWriting(false)} />
      ) : (
        <Read note={note} text={editing.text} onWrite={() => setWriting(true)} />
      )}
      {conflicts && (
        <ConflictDialog
          conflicts={conflicts}
          nameOf={() => text('field.text')}
          onMine={() => editing.save(true)}
          onTheirs={editing.takeTheirs}
        />
      )}
    </>
  );
}

function State({ editing: { state }, note }: { editing: NoteEditing; note: Note }) {
  const text = useText();
  const nameOf = useAuthorName();
  const words =
    state === 'saved' ? `${nameOf(note.updatedBy)}, ${moment(note.updatedAt)}` : text(`note.state.${state}`);
  return (
    <span className="flex min-w-0 flex-1 items-center justify-end gap-1.5 px-1 text-xs text-fg-3">
      {state === 'saved' && <AuthorTile by={note.updatedBy} at={note.updatedAt} />}
      <span role="status" className={state === 'failed' ? 'truncate text-danger' : 'truncate'}>
        {words}
      </span>
    </span>
  );
}

function Editor({ editing, onRead }: { editing: NoteEditing; onRead(): void }) {
  const text = useText();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const isMod = event.ctrlKey || event.metaKey;
    if (isMod && event.key.toLowerCase() === 's') editing.save();
    else if (event.key === 'Escape') {
      editing.save();
      onRead();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <textarea
      ref={box}
      dir="auto"
      aria-label={text('field.text')}
      value={editing.text}
      onChange={({ target }) => editing.write(target.value)}
      onBlur={() => editing.save()}
      onKeyDown={onKeyDown}
      placeholder={text('note.placeholder')}
      className="min-h-0 flex-1 resize-none bg-bg p-4 font-mono text-sm leading-relaxed outline-none touch:text-[16px]"
    />
  );
}

interface ReadProps {
  note: Note;
  text: string;
  onWrite(): void;
}

function Read({ note, text: written, onWrite }: ReadProps) {
  const text = useText();
  const { links, linkedFrom } = note;
  const shown = useMemo(() => withLinks(written, links), [written, links]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a double click is one way of several to the editor
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} onDoubleClick={onWrite} className="min-h-0 flex-1 overflow-y-auto p-4">
      {written === '' ? <p className="text-fg-3">{text('note.empty')}</p> : <Markdown text={shown} />}
      {linkedFrom.length > 0 && (
        <nav aria-label={text('note.linkedFrom')} className="mt-6 border-t border-line pt-3 text-xs">
          <p className="mb-1 text-fg-3">{text('note.linkedFrom')}</p>
          {linkedFrom.map(({ artifactId, name }) => (
            <span key={artifactId} className="mr-3 text-link underline">
              <SafeLink href={artifactPath(artifactId)} words={name}>
                <bdi>{name}</bdi>
              </SafeLink>
            </span>
          ))}
        </nav>
      )}
    </div>
  );
}

function NoteMenu({ sessionId, panelId, note }: OfPanel & { note: Note }) {
  const text = useText();
  const live = useLiveConnection();
  const { copy } = useCopy();
  const [dialog, setDialog] = useState<'versions' | 'form' | null>(null);
  const remove = () => void removeArtifact(live, note).then((isGone) => isGone && closePanel(sessionId, panelId));
  const close = () => setDialog(null);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={text('note.menu')}>
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem icon={<SquarePen size={14} />} onSelect={() => setDialog('form')}>
          {text('note.details')}
        </MenuItem>
        <MenuItem icon={<History size={14} />} onSelect={() => setDialog('versions')}>
          {text('note.versions')}
        </MenuItem>
        <MenuItem icon={<Link2 size={14} />} onSelect={() => copy(artifactLink(note.id))}>
          {text('artifacts.copyLink')}
        </MenuItem>
        <MenuItem icon={<FilePen size={14} />} onSelect={() => copy(`[[${note.name}]]`)}>
          {text('note.copyName')}
        </MenuItem>
        {sessionId !== '' && (
          <MenuItem icon={<ArrowLeftRight size={14} />} onSelect={() => showInPanel(sessionId, panelId, null)}>
            {text('note.another')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={remove}>
          {text('artifacts.toTrash')}
        </MenuItem>
      </Menu>
      {dialog === 'versions' && <VersionsDialog note={note} onClose={close} />}
      {dialog === 'form' && <NoteForm note={note} onClose={close} />}
    </>
  );
}
