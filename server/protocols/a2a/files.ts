import type { Artifact } from '@a2a-js/sdk';
import type { FilePart } from '../../../contract/files.ts';
import type { Message } from '../../../contract/messages.ts';
import { ROUTES } from '../../../contract/routes.ts';
import type { ProtocolDeps } from '../protocol.ts';

/** Of all files in one task. What goes beyond it is given as an address. */
const MOST_BYTES = 8_000_000;

/** Where files come from. */
export interface FileSource {
  readonly deps: Pick<ProtocolDeps, 'readFile'>;
  readonly owner: string;
  /** Of this server, as the client reaches it. */
  readonly origin: string;
}

/** The files of an answer, each an artifact with its contents, as long as they are not too large together. */
export async function fileArtifacts(source: FileSource, answer: Message | null): Promise<Artifact[]> {
  const artifacts: Artifact[] = [];
  let bytes = 0;
  for (const file of filesOf(answer)) {
    bytes += file.bytes;
    artifacts.push(bytes > MOST_BYTES ? linkedFile(source, file) : await wholeFile(source, file));
  }
  return artifacts;
}

/** The same, all as addresses. They need the credential that every request needs. */
export function fileLinks(source: FileSource, answer: Message | null): Artifact[] {
  return filesOf(answer).map((file) => linkedFile(source, file));
}

type KnownFile = FilePart & { fileId: string };

function filesOf(answer: Message | null): KnownFile[] {
  return (answer?.parts ?? []).filter((part): part is KnownFile => part.type === 'file' && part.fileId !== null);
}

async function wholeFile(source: FileSource, file: KnownFile): Promise<Artifact> {
  const value = await source.deps.readFile(source.owner, file.fileId);
  return value ? toArtifact(file, { $case: 'raw', value }) : linkedFile(source, file);
}

function linkedFile({ origin }: FileSource, file: KnownFile): Artifact {
  const value = origin + ROUTES.readFile.path.replace('{fileId}', file.fileId);
  return toArtifact(file, { $case: 'url', value });
}

function toArtifact({ fileId, name, mediaType }: KnownFile, content: Artifact['parts'][number]['content']): Artifact {
  const part = { content, metadata: undefined, filename: name, mediaType };
  return { artifactId: fileId, name, description: '', parts: [part], metadata: undefined, extensions: [] };
}
