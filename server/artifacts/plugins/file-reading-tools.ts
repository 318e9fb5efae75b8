import { z } from 'zod';
import { Limit, Query } from '../../tools/plugins/fields.ts';
import { headingFor, oneLine, tagList } from '../../tools/plugins/listing.ts';
import { type Tool, ToolFailure } from '../../tools/tool.ts';
import type { FileToolDeps } from './artifact-files-plugin.ts';
import { artifactTool, nameOf, text, Wanted } from './artifact-tool.ts';
import { findOne } from './find.ts';

export const FileName = Wanted.describe('The file: its ID or its name');

export function fileReadingTools(deps: FileToolDeps): Tool[] {
  return [listFiles(deps), readFile(deps), searchFiles(deps)];
}

function listFiles({ artifacts }: FileToolDeps): Tool {
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_list',
      description: "List the user's kept files, most recently changed first.",
      input: z.strictObject({ limit: Limit, before: z.string().max(200).optional().describe('From an earlier page') }),
      capabilities: ['artifact-files.read'],
      risk: 'read',
      operation: 'list',
    },
    async ({ limit, before }, { owner }) => {
      const page = await artifacts.list(owner, { kind: 'file', limit, before });
      const lines = page.artifacts.map(
        ({ id, name, tags, snippet }) => `[${id}] ${oneLine(name)}${tagList(tags)}\n  ${oneLine(snippet, 120)}`,
      );
      const more = page.next === null ? [] : [`More: use before ${page.next}.`];
      return text([headingFor(lines.length, 'file'), ...lines, ...more]);
    },
  );
}

const PART = 12_000;

function readFile({ artifacts }: FileToolDeps): Tool {
  const input = z.strictObject({
    file: FileName,
    version: z.int().min(1).optional().describe('As it was in this version'),
    offset: z.int().min(0).default(0).describe('Where to go on in a long file'),
  });
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_read',
      description: 'Read a kept text file, now or as it was in a version.',
      input,
      capabilities: ['artifact-files.read'],
      risk: 'read',
      operation: 'read',
    },
    async ({ file: wanted, version, offset }, context) => {
      const { id } = await findOne(artifacts, context, 'file', wanted);
      const file = await artifacts.files.get(context.owner, id);
      const whole = await artifacts.files.text(context.owner, id, version);
      if (whole === null) {
        const { mediaType, bytes } = file.contents;
        const hint = 'Copy it to the workspace with artifact_files_copy to work with it.';
        throw new ToolFailure(
          `${nameOf(file)} is not text (${oneLine(mediaType)}, ${bytes} bytes). ${hint}`,
          'not_text',
        );
      }
      const part = whole.slice(offset, offset + PART).toWellFormed();
      const rest = whole.length - offset - part.length;
      const more = rest > 0 ? [`[${rest} more characters: use offset ${offset + part.length}]`] : [];
      return text([`${nameOf(file)}, version ${version ?? file.version}${tagList(file.tags)}`, '', part, ...more]);
    },
  );
}

function searchFiles({ artifacts }: FileToolDeps): Tool {
  return artifactTool(
    'artifact-files',
    {
      name: 'artifact_files_search',
      description: 'Search the names and texts of kept files for all of the words.',
      input: z.strictObject({ query: Query, limit: z.int().min(1).max(50).default(20) }),
      capabilities: ['artifact-files.read'],
      risk: 'read',
      operation: 'search',
    },
    async ({ query, limit }, { owner }) => {
      const { hits } = await artifacts.search(owner, { q: query, kind: 'file', limit });
      const lines = hits.map(({ artifact, snippet }) => `${nameOf(artifact)}\n  ${oneLine(snippet)}`);
      return text([headingFor(lines.length, 'matching file'), ...lines]);
    },
  );
}
