import { ArrowLeftRight, Download, Ellipsis, History, Link2, SquarePen, Trash2, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ArtifactFile } from '../../../../contract/artifact-files.ts';
import { giveContents } from '../../../artifacts/keep-file.ts';
import { removeArtifact } from '../../../artifacts/trash.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { artifactLink } from '../../../state/artifact-links.ts';
import { closePanel, showInPanel } from '../../../state/open-panels.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { notify } from '../../../ui/toast.tsx';
import { useCopy } from '../../../ui/use-copy.ts';
import { FileForm } from './file-form.tsx';
import { FileVersions } from './file-versions.tsx';
import { useDownload } from './use-download.ts';

interface Props {
  sessionId: string;
  panelId: string;
  file: ArtifactFile;
}

export function FileMenu({ sessionId, panelId, file }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const { copy } = useCopy();
  const picker = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'versions' | 'form' | null>(null);
  const download = useDownload(file);
  const remove = () => void removeArtifact(live, file).then((isGone) => isGone && closePanel(sessionId, panelId));
  const replace = (contents: File | undefined) => {
    if (contents) giveContents(live, file, { contents }).catch((error: Error) => notify({ title: error.message }));
  };
  return (
    <>
      <Menu
        trigger={
          <IconButton label={text('file.menu')}>
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem icon={<Download size={14} />} onSelect={download}>
          {text('file.download')}
        </MenuItem>
        <MenuItem icon={<Upload size={14} />} onSelect={() => picker.current?.click()}>
          {text('file.replace')}
        </MenuItem>
        <MenuItem icon={<SquarePen size={14} />} onSelect={() => setDialog('form')}>
          {text('file.details')}
        </MenuItem>
        <MenuItem icon={<History size={14} />} onSelect={() => setDialog('versions')}>
          {text('note.versions')}
        </MenuItem>
        <MenuItem icon={<Link2 size={14} />} onSelect={() => copy(artifactLink(file.id))}>
          {text('artifacts.copyLink')}
        </MenuItem>
        {sessionId !== '' && (
          <MenuItem icon={<ArrowLeftRight size={14} />} onSelect={() => showInPanel(sessionId, panelId, null)}>
            {text('file.another')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 size={14} />} onSelect={remove}>
          {text('artifacts.toTrash')}
        </MenuItem>
      </Menu>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={text('file.replace')}
        onChange={({ target }) => {
          replace(target.files?.[0]);
          target.value = '';
        }}
      />
      {dialog === 'versions' && <FileVersions file={file} onClose={() => setDialog(null)} />}
      {dialog === 'form' && <FileForm file={file} onClose={() => setDialog(null)} />}
    </>
  );
}
