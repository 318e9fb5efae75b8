import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArchiveRestore, Ellipsis, Trash2 } from 'lucide-react';
import { type FormEvent, useDeferredValue, useRef, useState } from 'react';
import type { ArtifactKind, ArtifactSummary } from '../../../contract/artifacts.ts';
import { useAbout } from '../../artifacts/about.ts';
import { moment, useAuthorName } from '../../artifacts/author.tsx';
import { createArtifact } from '../../artifacts/create-artifact.ts';
import { ArtifactIcon } from '../../artifacts/icons.tsx';
import { keepContents } from '../../artifacts/keep-file.ts';
import { removeArtifact, restoreArtifact } from '../../artifacts/trash.ts';
import { useArtifacts } from '../../artifacts/use-artifacts.ts';
import { useText } from '../../i18n/panel-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Excerpt } from '../../markdown/plain-snippet.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { ToggleButton } from '../../ui/toggle-button.tsx';

/** What is created with a name; files come with their contents. */
const KINDS = ['list', 'note', 'view'] as const;
const SHOWN = ['all', ...KINDS, 'file', 'trash'] as const;
type Shown = (typeof SHOWN)[number];
const FIELD = 'h-9 rounded-md border border-line-strong bg-surface px-2 touch:text-[16px]';

/** Everything that a person keeps beside their conversations: found by name and by what is in it, and taken out of the trash. */
export function ArtifactsPage() {
  const text = useText();
  const [shown, show] = useState<Shown>('all');
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words.trim());
  return (
    <Page title={text('artifacts.title')}>
      <NewArtifact />
      <input
        type="search"
        value={words}
        onChange={({ target }) => setWords(target.value)}
        aria-label={text('artifacts.search')}
        placeholder={text('artifacts.search')}
        className={`${FIELD} mb-3 w-full`}
      />
      {wanted === '' ? (
        <>
          <div role="toolbar" aria-label={text('artifacts.kinds')} className="mb-2 flex flex-wrap gap-1">
            {SHOWN.map((one) => (
              <ToggleButton key={one} isOn={one === shown} onPress={() => show(one)}>
                {text(`artifacts.shown.${one}`)}
              </ToggleButton>
            ))}
          </div>
          <All shown={shown} />
        </>
      ) : (
        <Found words={wanted} />
      )}
    </Page>
  );
}

function NewArtifact() {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('list');
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    createArtifact(live, kind, name.trim()).then(
      (artifactId) => navigate({ to: '/artifacts/$artifactId', params: { artifactId } }),
      (error: Error) => notify({ title: error.message }),
    );
  };
  return (
    <form onSubmit={submit} className="mb-4 flex flex-wrap gap-2">
      <select
        aria-label={text('field.kind')}
        value={kind}
        onChange={({ target }) => setKind(target.value as typeof kind)}
        className={FIELD}
      >
        {KINDS.map((one) => (
          <option key={one} value={one}>
            {text(`panel.kind.${one}`)}
          </option>
        ))}
      </select>
      <input
        value={name}
        maxLength={200}
        onChange={({ target }) => setName(target.value)}
        aria-label={text('artifacts.newName')}
        placeholder={text('artifacts.newName')}
        className={`${FIELD} min-w-40 flex-1`}
      />
      <Button type="submit" look="primary" className="h-9" disabled={name.trim() === ''}>
        {text('choose.create')}
      </Button>
      <AddFile />
    </form>
  );
}

function AddFile() {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const picker = useRef<HTMLInputElement>(null);
  const add = (file: File | undefined) => {
    if (!file) return;
    keepContents(live, file.name, file).then(
      ({ id }) => navigate({ to: '/artifacts/$artifactId', params: { artifactId: id } }),
      (error: Error) => notify({ title: error.message }),
    );
  };
  return (
    <>
      <Button className="h-9" onClick={() => picker.current?.click()}>
        {text('artifacts.addFile')}
      </Button>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={text('artifacts.addFile')}
        onChange={({ target }) => {
          add(target.files?.[0]);
          target.value = '';
        }}
      />
    </>
  );
}

function All({ shown }: { shown: Shown }) {
  const text = useText();
  const kind: ArtifactKind | undefined = shown === 'all' || shown === 'trash' ? undefined : shown;
  const query = useArtifacts({ kind, isDeleted: shown === 'trash' });
  return (
    <Loaded query={query}>
      {(artifacts) =>
        artifacts.length === 0 ? (
          <p className="py-3 text-fg-2">{text(shown === 'trash' ? 'artifacts.trashEmpty' : 'artifacts.none')}</p>
        ) : (
          <ul className="divide-y divide-line border-y border-line">
            {artifacts.map((one) => (
              <Line key={one.id} artifact={one} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** What holds the words, in its name or in what is in it. */
function Found({ words }: { words: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const found = useQuery({
    queryKey: ['artifact-search', words],
    queryFn: () => client.call('searchArtifacts', { query: { q: words, limit: 50 } }),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  return (
    <Loaded query={found}>
      {({ hits }) =>
        hits.length === 0 ? (
          <p className="py-3 text-fg-2">{text('artifacts.nothingFound')}</p>
        ) : (
          <ul className="divide-y divide-line border-y border-line">
            {hits.map(({ artifact, itemId, title, snippet, matches }) => (
              <li key={`${artifact.id} ${itemId}`}>
                <Link
                  to="/artifacts/$artifactId"
                  params={{ artifactId: artifact.id }}
                  className="flex min-h-11 items-center gap-3 px-2 py-1.5 hover:bg-hover"
                >
                  <ArtifactIcon kind={artifact.kind} />
                  <span className="min-w-0 flex-1">
                    <bdi className="block truncate">{title}</bdi>
                    <span className="block truncate text-xs text-fg-2">
                      {itemId !== null && <bdi className="text-fg-3">{artifact.name}: </bdi>}
                      <Excerpt snippet={snippet} matches={matches} />
                    </span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Line({ artifact }: { artifact: ArtifactSummary }) {
  const nameOf = useAuthorName();
  const about = useAbout(artifact);
  const { id, kind, name, count, updatedAt, updatedBy, deletedAt } = artifact;
  return (
    <li className="flex items-center gap-1 hover:bg-hover">
      <Link
        to="/artifacts/$artifactId"
        params={{ artifactId: id }}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-3 px-2 py-1.5"
      >
        <ArtifactIcon kind={kind} />
        <span className="min-w-0 flex-1">
          <bdi className="block truncate">{name}</bdi>
          <bdi className="block truncate text-xs text-fg-2 empty:hidden">{about}</bdi>
        </span>
        {count !== null && <span className="flex-none text-xs text-fg-2">{count}</span>}
        <span className="w-32 flex-none truncate text-right text-xs text-fg-3 max-sm:hidden">
          {nameOf(updatedBy)}, {moment(updatedAt)}
        </span>
      </Link>
      {deletedAt === null ? <LineMenu artifact={artifact} /> : <TrashMenu artifact={artifact} />}
    </li>
  );
}

function LineMenu({ artifact }: { artifact: ArtifactSummary }) {
  const text = useText();
  const live = useLiveConnection();
  return (
    <IconButton
      label={text('artifacts.toTrashNamed', { name: artifact.name })}
      onClick={() => void removeArtifact(live, artifact)}
    >
      <Trash2 size={14} />
    </IconButton>
  );
}

function TrashMenu({ artifact }: { artifact: ArtifactSummary }) {
  const text = useText();
  const live = useLiveConnection();
  const [isAsking, setAsking] = useState(false);
  const { id, name } = artifact;
  const removeForGood = () => {
    setAsking(false);
    live.client
      .call('deleteArtifact', { artifactId: id, query: { permanently: true } })
      .catch((error: Error) => notify({ title: error.message }));
  };
  const buttons = (
    <>
      <Button onClick={() => setAsking(false)}>{text('action.cancel')}</Button>
      <Button look="danger" onClick={removeForGood}>
        {text('artifacts.deleteForGood')}
      </Button>
    </>
  );
  return (
    <>
      <Menu
        trigger={
          <IconButton label={text('artifacts.trashMenu', { name })}>
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem icon={<ArchiveRestore size={14} />} onSelect={() => void restoreArtifact(live, id)}>
          {text('artifacts.restore')}
        </MenuItem>
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={() => setAsking(true)}>
          {text('artifacts.deleteForGood')}
        </MenuItem>
      </Menu>
      {isAsking && (
        <Dialog open title={text('artifacts.deleteForGood')} onClose={() => setAsking(false)} footer={buttons}>
          <p>{text('artifacts.deleteHint', { name })}</p>
        </Dialog>
      )}
    </>
  );
}
