import type { ArtifactFile } from '../../contract/artifact-files.ts';
import { newId } from '../../contract/ids.ts';
import { mediaTypeOfName } from '../../contract/media-types.ts';
import type { Live } from '../live/live.ts';

/** Contents are on the server before anything is made of them. */
async function upload({ client }: Live, name: string, contents: Blob): Promise<string> {
  const query = { name: name.slice(0, 100) };
  const mediaType = contents.type || mediaTypeOfName(name);
  return (await client.call('uploadFile', { query, contents, mediaType })).id;
}

/** A new file with these contents. */
export async function keepContents(live: Live, name: string, contents: Blob): Promise<ArtifactFile> {
  const fileId = await upload(live, name, contents);
  return live.client.call('createArtifactFile', { body: { id: newId(), name, fileId } });
}

/** The attachment of a message becomes a file of its own. */
export function keepAttachment({ client }: Live, name: string, fileId: string): Promise<ArtifactFile> {
  return client.call('createArtifactFile', { body: { id: newId(), name, fileId } });
}

interface Change {
  readonly contents: Blob;
  /** The version that the contents are based on; without it they replace whatever there is. */
  readonly base?: number | undefined;
}

export async function giveContents(
  live: Live,
  { id, name }: Pick<ArtifactFile, 'id' | 'name'>,
  { contents, base }: Change,
): Promise<ArtifactFile> {
  const fileId = await upload(live, name, contents);
  return live.client.call('patchArtifactFile', {
    artifactFileId: id,
    body: { fileId, ...(base !== undefined && { base }) },
  });
}

const ENDINGS: Readonly<Record<string, string>> = {
  javascript: 'js',
  typescript: 'ts',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  bash: 'sh',
  shell: 'sh',
  markdown: 'md',
  mermaid: 'mmd',
  text: 'txt',
  plaintext: 'txt',
  csharp: 'cs',
  kotlin: 'kt',
};

/** What a block of code is called as a file, until the person gives it another name. */
export function nameOfCode(language: string): string {
  const [word = ''] = language.trim().toLowerCase().split(/\s/, 1);
  const known = Object.hasOwn(ENDINGS, word) ? ENDINGS[word]! : word;
  return `code.${/^[a-z0-9]{1,8}$/.test(known) ? known : 'txt'}`;
}
