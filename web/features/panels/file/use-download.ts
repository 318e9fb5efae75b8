import type { ArtifactFile } from '../../../../contract/artifact-files.ts';
import { useLiveConnection } from '../../../live/use-live.ts';
import { saveBlob, toFileName } from '../../../ui/own-file.ts';
import { notify } from '../../../ui/toast.tsx';

/** Hands the contents, of now or of a version, to the browser's downloads. */
export function useDownload({ id, name }: Pick<ArtifactFile, 'id' | 'name'>, version?: number): () => void {
  const { client } = useLiveConnection();
  return () =>
    void client.readArtifactFile(id, version).then(
      (contents) => saveBlob(contents, toFileName(name)),
      (error: Error) => notify({ title: error.message }),
    );
}
