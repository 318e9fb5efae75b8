import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { ParleyClient } from '../../client/parley-client.ts';
import { AppError } from '../../contract/errors.ts';
import { KnowledgeUse } from '../../contract/knowledge.ts';
import { Id } from '../../contract/names.ts';
import { CommandFailure } from '../failure.ts';

const CONTENTS = 'knowledge.json';

/** What a folder of exported knowledge holds. Notes are in the export of notes; here is only which agents have them. */
const Exported = z.object({
  version: z.literal(1),
  sources: z.array(
    z.object({
      name: z.string().min(1).max(255),
      file: z.string().nullable().describe('Beside this file; null: it is a note'),
      noteId: Id.nullable(),
      agents: z.array(KnowledgeUse),
    }),
  ),
});
type Exported = z.infer<typeof Exported>;

/** Says how many sources that were. */
export async function exportKnowledge(client: ParleyClient, folder: string): Promise<number> {
  const { sources } = await client.call('listKnowledge');
  await mkdir(folder, { recursive: true });
  const written: Exported['sources'] = [];
  for (const { id, name, fileId, noteId, agents } of sources) {
    const file = fileId === null ? null : `${id}${extensionOf(name)}`;
    if (file !== null) {
      const contents = await client.readFile(fileId!);
      await writeFile(path.join(folder, file), Buffer.from(await contents.arrayBuffer()), { mode: 0o600 });
    }
    written.push({ name, file, noteId, agents });
  }
  const contents: Exported = { version: 1, sources: written };
  await writeFile(path.join(folder, CONTENTS), `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 });
  return written.length;
}

/** The ending tells programs what a file is; anything else of a name could lead somewhere. */
function extensionOf(name: string): string {
  return /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
}

/** What could not be imported says why; the rest is. */
export async function* importKnowledge(
  client: ParleyClient,
  folder: string,
): AsyncGenerator<{ name: string; problem?: string }> {
  for (const source of (await readContents(folder)).sources) {
    try {
      const sourceId = await addSource(client, folder, source);
      const problems = await attachAll(client, sourceId, source.agents);
      yield { name: source.name, ...(problems.length > 0 && { problem: problems.join(' ') }) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      yield { name: source.name, problem: error.message };
    }
  }
}

async function readContents(folder: string): Promise<Exported> {
  const text = await readFile(path.join(folder, CONTENTS), 'utf8').catch(() => null);
  if (text === null) throw new CommandFailure(`${folder} has no ${CONTENTS}.`);
  const read = Exported.safeParse(parse(text));
  if (read.success) return read.data;
  throw new CommandFailure(`${path.join(folder, CONTENTS)} is not an export of knowledge.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function addSource(
  client: ParleyClient,
  folder: string,
  { name, file, noteId }: Exported['sources'][number],
): Promise<string> {
  if (file === null) return (await client.call('addKnowledgeNote', { body: { noteId: noteId ?? '' } })).id;
  const contents = await readFile(path.join(folder, path.basename(file))).catch(() => null);
  if (!contents) throw new CommandFailure(`${folder} has no ${file}.`);
  return (await client.call('uploadKnowledge', { query: { name }, contents })).id;
}

/** Agents that are not there are named; the others get it. */
async function attachAll(client: ParleyClient, sourceId: string, agents: readonly KnowledgeUse[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { agentId, children } of agents) {
    try {
      await client.call('useKnowledge', { sourceId, agentId, body: { children } });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}
