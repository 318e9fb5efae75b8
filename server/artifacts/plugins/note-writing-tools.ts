import { z } from 'zod';
import { ArtifactName } from '../../../contract/artifacts.ts';
import { CreateNote, type Note, PatchNote } from '../../../contract/notes.ts';
import { type Tool, type ToolContext, ToolFailure } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { authorOf } from '../authors.ts';
import { artifactTool, Base, nameOf, Wanted } from './artifact-tool.ts';
import { findOne } from './find.ts';

export function noteWritingTools(artifacts: Artifacts): Tool[] {
  return [createNote(artifacts), appendToNote(artifacts), editNote(artifacts), writeNote(artifacts)];
}

const NoteName = Wanted.describe('The note: its ID or its name');

function createNote(artifacts: Artifacts): Tool {
  return artifactTool(
    'notes',
    {
      name: 'notes_create',
      description: 'Create a note in Markdown. [[Name]] links to another note, list or view.',
      input: z.strictObject({ ...CreateNote.omit({ id: true }).shape, name: ArtifactName }),
      capabilities: ['notes.append'],
      risk: 'write',
      operation: 'create',
    },
    async (wanted, context) => {
      const note = await artifacts.notes.create(context.owner, authorOf(context), wanted);
      return `Created the note ${nameOf(note)}.`;
    },
  );
}

function appendToNote(artifacts: Artifacts): Tool {
  return artifactTool(
    'notes',
    {
      name: 'notes_append',
      description: 'Add text at the end of a note, on a line of its own.',
      input: z.strictObject({ note: NoteName, text: z.string().min(1).max(100_000) }),
      capabilities: ['notes.append'],
      risk: 'write',
      operation: 'append',
    },
    async ({ note: wanted, text }, context) => {
      const { id } = await findOne(artifacts, context, 'note', wanted, 'append');
      const known = await artifacts.notes.get(context.owner, id);
      const joined = known.text === '' || known.text.endsWith('\n') ? known.text + text : `${known.text}\n${text}`;
      // What others have added meanwhile stays before it.
      const note = await artifacts.notes.patch(context.owner, authorOf(context), id, {
        text: joined,
        base: known.version,
      });
      return `Added to ${nameOf(note)}, now version ${note.version}.`;
    },
  );
}

function editNote(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    note: NoteName,
    find: z.string().min(1).max(20_000).describe('Exactly as it is in the note; must occur once'),
    replace: z.string().max(100_000).describe('What stands there instead'),
  });
  return artifactTool(
    'notes',
    {
      name: 'notes_edit',
      description: 'Replace one passage of a note.',
      input,
      capabilities: ['notes.write'],
      risk: 'write',
      operation: 'edit',
    },
    async ({ note: wanted, find, replace }, context) => {
      const { id } = await findOne(artifacts, context, 'note', wanted, 'write');
      const known = await artifacts.notes.get(context.owner, id);
      const text = replaceOnce(known, find, replace);
      const note = await artifacts.notes.patch(context.owner, authorOf(context), id, { text, base: known.version });
      return `Changed ${nameOf(note)}, now version ${note.version}.`;
    },
  );
}

function replaceOnce({ text }: Note, find: string, replace: string): string {
  const at = text.indexOf(find);
  if (at < 0) throw new ToolFailure('The note has no such passage. Read it again with notes_read.', 'not_found');
  if (text.indexOf(find, at + 1) >= 0)
    throw new ToolFailure('The passage occurs more than once. Give more of the text around it.', 'ambiguous');
  return text.slice(0, at) + replace + text.slice(at + find.length);
}

function writeNote(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    note: NoteName,
    ...PatchNote.omit({ base: true }).shape,
    base: Base,
  });
  return artifactTool(
    'notes',
    {
      name: 'notes_write',
      description: 'Change a note: its whole text, name, tags, day or mood. Omitted fields stay as they are.',
      input,
      capabilities: ['notes.write'],
      risk: 'write',
      operation: 'write',
    },
    ({ note: wanted, ...patch }, context) => write(artifacts, context, wanted, patch),
  );
}

async function write(artifacts: Artifacts, context: ToolContext, wanted: string, patch: z.output<typeof PatchNote>) {
  const { id } = await findOne(artifacts, context, 'note', wanted, 'write');
  const note = await artifacts.notes.patch(context.owner, authorOf(context), id, patch);
  return `Changed ${nameOf(note)}, now version ${note.version}.`;
}
