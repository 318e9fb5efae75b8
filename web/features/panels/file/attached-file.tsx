import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Download, FilePlus } from 'lucide-react';
import { useEffect } from 'react';
import type { FilePart } from '../../../../contract/files.ts';
import { keepAttachment } from '../../../artifacts/keep-file.ts';
import { fileSize } from '../../../i18n/formats.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { showInPanel, tellPanel } from '../../../state/open-panels.ts';
import { IconButton } from '../../../ui/button.tsx';
import { saveFile } from '../../../ui/own-file.ts';
import { Failure } from '../../../ui/page.tsx';
import { notify } from '../../../ui/toast.tsx';
import { Picture, TextContents } from './file-contents.tsx';

export type AttachedPart = FilePart & { fileId: string };

interface Props {
  sessionId: string;
  panelId: string;
  file: AttachedPart;
}

/** A file of the conversation, which goes with its message unless it is kept. */
export function AttachedFile({ sessionId, panelId, file }: Props) {
  const text = useText();
  const live = useLiveConnection();
  const { fileId, name, bytes, artifactId } = file;
  useEffect(() => {
    tellPanel(sessionId, panelId, { title: name, item: { type: 'file', id: fileId, name }, view: null });
  }, [sessionId, panelId, fileId, name]);
  const keep = () =>
    keepAttachment(live, name, fileId).then(
      ({ id }) => showInPanel(sessionId, panelId, id),
      (error: Error) => notify({ title: error.message }),
    );
  return (
    <>
      <header className="flex min-h-10 flex-none items-center gap-1 border-b border-line px-3">
        <span className="min-w-0 flex-1 truncate text-xs text-fg-3">{fileSize(bytes)}</span>
        {artifactId === undefined && (
          <IconButton label={text('file.keep')} onClick={() => void keep()}>
            <FilePlus size={15} />
          </IconButton>
        )}
        <IconButton label={text('file.save', { name })} onClick={() => void saveFile(live.client, fileId, name)}>
          <Download size={15} />
        </IconButton>
        <IconButton label={text('file.another')} onClick={() => showInPanel(sessionId, panelId, null)}>
          <ArrowLeftRight size={15} />
        </IconButton>
      </header>
      {file.kind === 'other' ? <p className="p-4 text-fg-2">{text('file.notShown')}</p> : <Contents file={file} />}
    </>
  );
}

function Contents({ file: { fileId, name, kind } }: { file: AttachedPart }) {
  const text = useText();
  const { client } = useLiveConnection();
  const read = useQuery({
    queryKey: ['file-contents', fileId],
    queryFn: async () => {
      const contents = await client.readFile(fileId);
      return { contents, words: kind === 'text' ? await contents.text() : '' };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (read.isError)
    return (
      <div className="p-3">
        <Failure error={read.error} retry={() => void read.refetch()} />
      </div>
    );
  if (!read.data) return <p className="p-4 text-fg-3">{text('app.loading')}</p>;
  if (kind === 'image') return <Picture contents={read.data.contents} name={name} />;
  return <TextContents name={name} text={read.data.words} isDrawn />;
}
