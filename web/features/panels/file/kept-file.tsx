import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ArtifactFile } from '../../../../contract/artifact-files.ts';
import { AuthorTile, moment, useAuthorName } from '../../../artifacts/author.tsx';
import { useRereading } from '../../../artifacts/use-artifacts.ts';
import { fileSize } from '../../../i18n/formats.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { tellPanel } from '../../../state/open-panels.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/page.tsx';
import { ToggleButton } from '../../../ui/toggle-button.tsx';
import { Picture, shownAs, TextContents } from './file-contents.tsx';
import { FileEditor } from './file-editor.tsx';
import { FileMenu } from './file-menu.tsx';
import { useDownload } from './use-download.ts';

interface OfPanel {
  sessionId: string;
  panelId: string;
}

/** A file that is kept, read again when others change it. */
export function KeptFile({ sessionId, panelId, fileId }: OfPanel & { fileId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  useRereading('artifact-file');
  const read = useQuery({
    queryKey: ['artifact-file', fileId],
    queryFn: () => client.call('getArtifactFile', { artifactFileId: fileId }),
    staleTime: 0,
    retry: false,
  });
  const name = read.data?.name;
  useEffect(() => {
    if (name === undefined) return;
    tellPanel(sessionId, panelId, { title: name, item: { type: 'file', id: fileId, name }, view: null });
  }, [sessionId, panelId, fileId, name]);
  if (read.isError && !read.data)
    return (
      <div className="p-3">
        <Failure error={read.error} retry={() => void read.refetch()} />
      </div>
    );
  if (!read.data) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  return <Shown sessionId={sessionId} panelId={panelId} file={read.data} />;
}

/** The contents of the version that is shown. */
function useContents({ id, contents: { sha256, kind, mediaType } }: ArtifactFile) {
  const { client } = useLiveConnection();
  return useQuery({
    queryKey: ['artifact-contents', id, sha256],
    queryFn: async () => {
      const read = await client.readArtifactFile(id);
      const contents = new Blob([read], { type: mediaType });
      return { contents, words: kind === 'text' ? await contents.text() : '' };
    },
    enabled: kind !== 'other',
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type Way = 'drawn' | 'source' | 'edit';

function Shown({ sessionId, panelId, file }: OfPanel & { file: ArtifactFile }) {
  const text = useText();
  const [way, show] = useState<Way>('drawn');
  const read = useContents(file);
  const { name, contents } = file;
  const words = contents.kind === 'text' ? read.data?.words : undefined;
  const canDraw = words !== undefined && shownAs(name, words) !== null;
  return (
    <>
      <header className="flex flex-none flex-wrap items-center gap-1 border-b border-line px-2 py-1">
        {words !== undefined && (
          <>
            {canDraw && (
              <ToggleButton isOn={way === 'drawn'} onPress={() => show('drawn')}>
                {text('preview.shown')}
              </ToggleButton>
            )}
            <ToggleButton
              isOn={way === 'source' || (way === 'drawn' && !canDraw)}
              onPress={() => show(canDraw ? 'source' : 'drawn')}
            >
              {text('preview.source')}
            </ToggleButton>
            <ToggleButton isOn={way === 'edit'} onPress={() => show('edit')}>
              {text('file.edit')}
            </ToggleButton>
          </>
        )}
        <State file={file} />
        <FileMenu sessionId={sessionId} panelId={panelId} file={file} />
      </header>
      {way === 'edit' && words !== undefined ? (
        <FileEditor file={file} text={words} onClose={() => show('drawn')} />
      ) : contents.kind === 'other' ? (
        <Unshown file={file} />
      ) : read.isError && !read.data ? (
        <div className="p-3">
          <Failure error={read.error} retry={() => void read.refetch()} />
        </div>
      ) : !read.data ? (
        <p className="p-4 text-fg-3">{text('app.loading')}</p>
      ) : contents.kind === 'image' ? (
        <Picture contents={read.data.contents} name={name} />
      ) : (
        <TextContents key={contents.sha256} name={name} text={read.data.words} isDrawn={way === 'drawn'} />
      )}
    </>
  );
}

function State({ file: { contents, updatedAt, updatedBy } }: { file: ArtifactFile }) {
  const nameOf = useAuthorName();
  return (
    <span className="flex min-w-0 flex-1 items-center justify-end gap-1.5 px-1 text-xs text-fg-3">
      <AuthorTile by={updatedBy} at={updatedAt} />
      <span role="status" className="truncate">
        {fileSize(contents.bytes)} · {nameOf(updatedBy)}, {moment(updatedAt)}
      </span>
    </span>
  );
}

function Unshown({ file }: { file: ArtifactFile }) {
  const text = useText();
  const download = useDownload(file);
  return (
    <div className="flex flex-col items-start gap-3 p-4">
      <p className="text-fg-2">{text('file.notShown')}</p>
      <Button look="primary" onClick={download}>
        <Download size={14} />
        {text('file.save', { name: file.name })}
      </Button>
    </div>
  );
}
