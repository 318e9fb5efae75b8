import { Readable } from 'node:stream';
import { z } from 'zod';
import type { ArtifactFile } from '../../../contract/artifact-files.ts';
import { ArtifactName, Tags } from '../../../contract/artifacts.ts';
import { TEXT_FILE_BYTES } from '../../../contract/files.ts';
import { mediaTypeOfName } from '../../../contract/media-types.ts';
import { replaceText } from '../../tools/plugins/files/text.ts';
import { type Tool, type ToolContext, ToolFailure } from '../../tools/tool.ts';
import { authorOf } from '../authors.ts';
import type { FileToolDeps } from './artifact-files-plugin.ts';
import { artifactTool, Base, nameOf } from './artifact-tool.ts';
import { FileName } from './file-reading-tools.ts';
import { findOne } from './find.ts';

export function fileWritingTools(deps: FileToolDeps): Tool[] {
  return [createFile(deps), editFile(deps), writeFile(deps)];
}

const Content = z.string().min(1).max(TEXT_FILE_BYTES).describe('The whole text');

function createFile(deps: FileToolDeps): Tool {
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_create',
      description:
        'Make a text file for the user, who sees it with your answer and keeps it: a document, code, CSV, or HTML, SVG and Mermaid that are shown as what they stand for.',
      input: z.strictObject({
        name: ArtifactName.describe('With its ending, for example report.md'),
        content: Content,
        tags: Tags.optional(),
      }),
      capabilities: ['artifact-files.append'],
      risk: 'write',
      operation: 'create',
    },
    async ({ name, content, tags = [] }, context) => {
      const fileId = await storeText(deps, context, name, content);
      const by = authorOf(context);
      const file = await deps.artifacts.files.create(context.owner, by, { name, fileId, tags });
      return told(deps, context, file, 'Created the file');
    },
  );
}

function editFile(deps: FileToolDeps): Tool {
  const { artifacts } = deps;
  const input = z.strictObject({
    file: FileName,
    find: z.string().min(1).max(TEXT_FILE_BYTES).describe('Exactly as it is in the file'),
    replace: z.string().max(TEXT_FILE_BYTES),
    all: z.boolean().default(false).describe('Replace every occurrence'),
  });
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_edit',
      description: 'Replace a passage of a kept text file. It must occur exactly once unless all is set.',
      input,
      capabilities: ['artifact-files.write'],
      risk: 'write',
      operation: 'edit',
    },
    async ({ file: wanted, find, replace, all }, context) => {
      const { id } = await findOne(artifacts, context, 'file', wanted);
      const known = await artifacts.files.get(context.owner, id);
      const before = await artifacts.files.text(context.owner, id, known.version);
      if (before === null) throw new ToolFailure(`${nameOf(known)} is not text.`, 'not_text');
      const { text } = replaceText(before, find, replace, all);
      const fileId = await storeText(deps, context, known.name, text, known.contents.mediaType);
      const base = known.version;
      const file = await artifacts.files.patch(context.owner, authorOf(context), id, { fileId, base });
      return told(deps, context, file, 'Changed');
    },
  );
}

function writeFile(deps: FileToolDeps): Tool {
  const { artifacts } = deps;
  const input = z.strictObject({
    file: FileName,
    content: Content.optional(),
    name: ArtifactName.optional(),
    tags: Tags.optional(),
    base: Base,
  });
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_write',
      description: 'Change a kept file: its whole text, name or tags. Omitted fields stay as they are.',
      input,
      capabilities: ['artifact-files.write'],
      risk: 'write',
      operation: 'write',
    },
    async ({ file: wanted, content, ...patch }, context) => {
      const { id, name } = await findOne(artifacts, context, 'file', wanted);
      const fileId = content === undefined ? undefined : await storeText(deps, context, patch.name ?? name, content);
      const file = await artifacts.files.patch(context.owner, authorOf(context), id, { ...patch, fileId });
      return fileId === undefined ? sentence('Changed', file) : told(deps, context, file, 'Changed');
    },
  );
}

async function storeText(
  { files }: FileToolDeps,
  { owner }: ToolContext,
  name: string,
  content: string,
  mediaType = mediaTypeOfName(name),
): Promise<string> {
  const bytes = Buffer.from(content.toWellFormed());
  if (bytes.length > TEXT_FILE_BYTES)
    throw new ToolFailure(`A text can have at most ${TEXT_FILE_BYTES} bytes.`, 'too_large');
  return (await files.upload(owner, { name, mediaType }, Readable.from([bytes]))).id;
}

/** The person finds what an agent has made in its answer. */
export async function told(
  { artifacts }: FileToolDeps,
  context: ToolContext,
  file: ArtifactFile,
  what: string,
): Promise<string> {
  const { mediaType, kind, bytes } = file.contents;
  const fileId = await artifacts.files.storedAs(context.owner, file.id);
  context.attach({ fileId, name: file.name, mediaType, kind, bytes, artifactId: file.id });
  return sentence(what, file);
}

function sentence(what: string, file: ArtifactFile): string {
  return `${what} ${nameOf(file)}, now version ${file.version}.`;
}
