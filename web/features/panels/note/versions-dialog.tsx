import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Note } from '../../../../contract/notes.ts';
import { moment, useAuthorName } from '../../../artifacts/author.tsx';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { Markdown } from '../../../markdown/markdown.tsx';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { notify } from '../../../ui/toast.tsx';

/** A note as it was, and the way back to it. Going back is a change like others: nothing of the history is lost. */
export function VersionsDialog({ note, onClose }: { note: Note; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const nameOf = useAuthorName();
  const [chosen, choose] = useState<number | null>(null);
  const list = useQuery({
    queryKey: ['note-versions', note.id, note.version],
    queryFn: () => client.call('listNoteVersions', { noteId: note.id }),
  });
  const shown = useQuery({
    queryKey: ['note-version', note.id, chosen],
    queryFn: () => client.call('getNoteVersion', { noteId: note.id, version: chosen! }),
    enabled: chosen !== null,
  });
  const restore = () =>
    client
      .call('patchNote', { noteId: note.id, body: { text: shown.data!.text } })
      .then(onClose, (error: Error) => notify({ title: error.message }));
  const footer = (
    <Button look="primary" disabled={!shown.data || shown.data.text === note.text} onClick={() => void restore()}>
      {text('note.restore')}
    </Button>
  );
  return (
    <Dialog open wide title={text('note.versionsOf', { name: note.name })} onClose={onClose} footer={footer}>
      <div className="grid gap-3 sm:grid-cols-[14rem_1fr]">
        <ul className="max-h-72 overflow-y-auto">
          {list.data?.versions.map(({ version, by, at, added, removed }) => (
            <li key={version}>
              <button
                type="button"
                aria-pressed={version === chosen}
                onClick={() => choose(version)}
                className={cx(
                  'min-h-9 w-full rounded-md px-2 text-left hover:bg-hover',
                  version === chosen && 'bg-hover',
                )}
              >
                <span className="block truncate">{nameOf(by)}</span>
                <span className="block text-xs text-fg-3">
                  {moment(at)} · +{added} −{removed}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div tabIndex={0} className="max-h-72 min-h-40 overflow-y-auto rounded-md border border-line p-3">
          {shown.data ? <Markdown text={shown.data.text} /> : <p className="text-fg-3">{text('note.chooseVersion')}</p>}
        </div>
      </div>
    </Dialog>
  );
}
