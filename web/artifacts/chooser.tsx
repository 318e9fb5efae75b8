import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { ArtifactKind, ArtifactSummary } from '../../contract/artifacts.ts';
import { useText } from '../i18n/panel-words.ts';
import { useLiveConnection } from '../live/use-live.ts';
import { Button } from '../ui/button.tsx';
import { notify } from '../ui/toast.tsx';
import { useAbout } from './about.ts';
import { createArtifact } from './create-artifact.ts';
import { ArtifactIcon } from './icons.tsx';
import { useArtifacts } from './use-artifacts.ts';

interface Props {
  kind: ArtifactKind;
  onChoose(artifactId: string): void;
}

const SHOWN = 200;

/** Which list, note, view or file a panel shows: an existing one, or a new one with the name that was written. */
export function Chooser({ kind, onChoose }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const [name, setName] = useState('');
  const found = useArtifacts({ kind });
  const wanted = name.trim().toLowerCase();
  const all = (found.data ?? []).filter((one) => one.name.toLowerCase().includes(wanted));
  const canCreate = kind !== 'file';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (kind === 'file' || wanted === '') return;
    createArtifact(live, kind, name.trim()).then(onChoose, (error: Error) => notify({ title: error.message }));
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <form onSubmit={submit} className="flex flex-none gap-2 border-b border-line p-3">
        <input
          type="search"
          value={name}
          maxLength={200}
          onChange={({ target }) => setName(target.value)}
          aria-label={text(`choose.${kind}`)}
          placeholder={text(canCreate ? 'choose.box' : 'choose.file')}
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 touch:text-[16px]"
        />
        {canCreate && (
          <Button type="submit" look="primary" disabled={wanted === ''} className="h-8">
            <Plus size={14} />
            {text('choose.create')}
          </Button>
        )}
      </form>
      {found.isError && <p className="p-3 text-danger">{found.error.message}</p>}
      {found.isPending && <p className="p-3 text-fg-3">{text('app.loading')}</p>}
      {found.data?.length === 0 && <p className="p-3 text-fg-2">{text(`choose.none.${kind}`)}</p>}
      <ul className="min-h-0 flex-1 overflow-y-auto p-1.5">
        {all.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <Choice artifact={one} onChoose={() => onChoose(one.id)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Choice({ artifact, onChoose }: { artifact: ArtifactSummary; onChoose(): void }) {
  const { name, kind, count } = artifact;
  const about = useAbout(artifact);
  return (
    <button
      type="button"
      onClick={onChoose}
      className="flex min-h-10 w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
    >
      <ArtifactIcon kind={kind} />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate">
          {name}
        </span>
        <span dir="auto" className="block truncate text-xs text-fg-3 empty:hidden">
          {about}
        </span>
      </span>
      {count !== null && <span className="flex-none text-xs text-fg-3">{count}</span>}
    </button>
  );
}
