import { z } from 'zod';
import { Limit, Query } from '../../tools/plugins/fields.ts';
import { headingFor, oneLine, tagList } from '../../tools/plugins/listing.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { artifactTool, nameOf, text, Wanted } from './artifact-tool.ts';
import { findOne, listPage, searchKept } from './find.ts';

export function noteReadingTools(artifacts: Artifacts): Tool[] {
  return [listNotes(artifacts), readNote(artifacts), searchNotes(artifacts)];
}

function listNotes(artifacts: Artifacts): Tool {
  return artifactTool(
    'notes',
    {
      name: 'notes_list',
      description: "List the user's notes, most recently changed first, with the start of each.",
      input: z.strictObject({ limit: Limit, before: z.string().max(200).optional().describe('From an earlier page') }),
      capabilities: ['notes.read'],
      risk: 'read',
      operation: 'list',
    },
    async ({ limit, before }, context) => {
      const page = await listPage(artifacts, context, { kind: 'note', limit, before });
      const lines = page.artifacts.map(
        ({ id, name, tags, snippet }) => `[${id}] ${oneLine(name)}${tagList(tags)}\n  ${oneLine(snippet, 120)}`,
      );
      const more = page.next === null ? [] : [`More: use before ${page.next}.`];
      return text([headingFor(lines.length, 'note'), ...lines, ...more]);
    },
  );
}

const PART = 12_000;

function readNote(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    note: Wanted.describe('The note: its ID or its name'),
    version: z.int().min(1).optional().describe('As it was in this version'),
    offset: z.int().min(0).default(0).describe('Where to go on in a long note'),
  });
  return artifactTool(
    'notes',
    {
      name: 'notes_read',
      description: 'Read a note, now or as it was in a version.',
      input,
      capabilities: ['notes.read'],
      risk: 'read',
      operation: 'read',
    },
    async ({ note: wanted, version, offset }, context) => {
      const { id } = await findOne(artifacts, context, 'note', wanted);
      const note = await artifacts.notes.get(context.owner, id);
      const shown = version === undefined ? note : await artifacts.notes.atVersion(context.owner, id, version);
      const facts = [note.date, note.mood && oneLine(note.mood)].filter(Boolean).join(', ');
      const head = `${nameOf(note)}, version ${shown.version}${facts ? ` (${facts})` : ''}${tagList(note.tags)}`;
      const part = shown.text.slice(offset, offset + PART).toWellFormed();
      const rest = shown.text.length - offset - part.length;
      const more = rest > 0 ? [`[${rest} more characters: use offset ${offset + part.length}]`] : [];
      return text([head, '', part, ...more]);
    },
  );
}

function searchNotes(artifacts: Artifacts): Tool {
  return artifactTool(
    'notes',
    {
      name: 'notes_search',
      description: 'Search notes for all of the words.',
      input: z.strictObject({ query: Query, limit: z.int().min(1).max(50).default(20) }),
      capabilities: ['notes.read'],
      risk: 'read',
      operation: 'search',
    },
    async ({ query, limit }, context) => {
      const hits = await searchKept(artifacts, context, { q: query, kind: 'note', limit });
      const lines = hits.map(({ artifact, snippet }) => `${nameOf(artifact)}\n  ${oneLine(snippet)}`);
      return text([headingFor(lines.length, 'matching note'), ...lines]);
    },
  );
}
