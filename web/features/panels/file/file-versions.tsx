import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ArtifactFile, FileVersion } from '../../../../contract/artifact-files.ts';
import { moment, useAuthorName } from '../../../artifacts/author.tsx';
import { fileSize } from '../../../i18n/formats.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { revealHidden } from '../../../markdown/safe-url.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { notify } from '../../../ui/toast.tsx';
import { Picture } from './file-contents.tsx';
import { useDownload } from './use-download.ts';

/** A file as it was, and the way back to it. Going back is a change like others: nothing of the history is lost. */
export function FileVersions({ file, onClose }: { file: ArtifactFile; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const [chosen, choose] = useState<FileVersion | null>(null);
  const download = useDownload(file, chosen?.version);
  const restore = (fromVersion: number) =>
    client
      .call('patchArtifactFile', { artifactFileId: file.id, body: { fromVersion } })
      .then(onClose, (error: Error) => notify({ title: error.message }));
  const isCurrent = chosen?.contents.sha256 === file.contents.sha256;
  const footer = (
    <>
      <Button disabled={!chosen} onClick={download}>
        {text('file.download')}
      </Button>
      <Button look="primary" disabled={!chosen || isCurrent} onClick={() => void restore(chosen!.version)}>
        {text('note.restore')}
      </Button>
    </>
  );
  return (
    <Dialog open wide title={text('note.versionsOf', { name: file.name })} onClose={onClose} footer={footer}>
      <div className="grid gap-3 sm:grid-cols-[14rem_1fr]">
        <Versions file={file} chosen={chosen} onChoose={choose} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div tabIndex={0} className="max-h-72 min-h-40 overflow-y-auto rounded-md border border-line p-3">
          {chosen ? (
            <Contents file={file} version={chosen} />
          ) : (
            <p className="text-fg-3">{text('note.chooseVersion')}</p>
          )}
        </div>
      </div>
    </Dialog>
  );
}

interface VersionsProps {
  file: ArtifactFile;
  chosen: FileVersion | null;
  onChoose(version: FileVersion): void;
}

function Versions({ file, chosen, onChoose }: VersionsProps) {
  const text = useText();
  const { client } = useLiveConnection();
  const nameOf = useAuthorName();
  const pages = useInfiniteQuery({
    queryKey: ['artifact-file-versions', file.id, file.version],
    queryFn: ({ pageParam }) =>
      client.call('listArtifactFileVersions', {
        artifactFileId: file.id,
        query: pageParam === null ? {} : { before: pageParam },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ versions, isComplete }) => (isComplete ? undefined : versions.at(-1)?.version),
  });
  const versions = pages.data?.pages.flatMap((page) => page.versions) ?? [];
  return (
    <div className="max-h-72 overflow-y-auto">
      {pages.isError && <p className="text-danger">{pages.error.message}</p>}
      <ul>
        {versions.map((one) => (
          <li key={one.version}>
            <button
              type="button"
              aria-pressed={one.version === chosen?.version}
              onClick={() => onChoose(one)}
              className={cx(
                'min-h-9 w-full rounded-md px-2 text-left touch:min-h-11 hover:bg-hover',
                one.version === chosen?.version && 'bg-hover',
              )}
            >
              <span className="block truncate">{nameOf(one.by)}</span>
              <span className="block text-xs text-fg-3">
                {moment(one.at)} · {fileSize(one.contents.bytes)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>{text('history.more')}</Button>}
    </div>
  );
}

function Contents({ file, version: { version, contents } }: { file: ArtifactFile; version: FileVersion }) {
  const text = useText();
  const { client } = useLiveConnection();
  const { sha256, kind, mediaType } = contents;
  const read = useQuery({
    queryKey: ['artifact-contents', file.id, sha256],
    queryFn: async () => {
      const read = new Blob([await client.readArtifactFile(file.id, version)], { type: mediaType });
      return { contents: read, words: kind === 'text' ? await read.text() : '' };
    },
    enabled: kind !== 'other',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (kind === 'other') return <p className="text-fg-2">{text('file.notShown')}</p>;
  if (!read.data) return <p className="text-fg-3">{read.error?.message ?? text('app.loading')}</p>;
  if (kind === 'image') return <Picture contents={read.data.contents} name={file.name} />;
  return (
    <pre dir="auto" className="font-mono text-xs whitespace-pre-wrap">
      {revealHidden(read.data.words)}
    </pre>
  );
}
