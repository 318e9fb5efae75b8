import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { reach } from '../fault-points.ts';
import { type Edit, replaceFile, textOf, writeEdit } from './home-files.ts';
import { parseJson } from './json.ts';

/** In the data folder while several files are being changed together: what they were, and what they become. */
const JOURNAL = '.edits.json';

const Journal = z.strictObject({
  edits: z.array(z.strictObject({ source: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});

/**
 * Changes all files or none. Several of them count as changed as soon as the journal is on disk: what a crash leaves
 * undone after that is done by `finishEdits` at the next start.
 */
export async function writeEdits(home: string, edits: readonly Edit[]): Promise<void> {
  const [first] = edits;
  if (first && edits.length === 1) return writeEdit(home, first);
  for (const edit of edits) if (await isChanged(home, edit)) throw changedMeanwhile(edit);
  await replaceFile(join(home, JOURNAL), `${JSON.stringify({ edits })}\n`);
  reach('config.journal');
  await applyJournal(home, edits);
}

/** Called before the files are read for the first time. */
export async function finishEdits(home: string): Promise<void> {
  const text = await textOf(join(home, JOURNAL));
  if (text === null) return;
  const journal = Journal.safeParse(parseJson(text, JOURNAL).value);
  if (journal.success) await settle(home, journal.data.edits);
  await removeJournal(home);
}

async function applyJournal(home: string, edits: readonly Edit[]): Promise<void> {
  try {
    for (const edit of edits) {
      await writeEdit(home, edit);
      reach('config.edit');
    }
  } catch (error) {
    await takeBack(home, edits);
    throw error;
  } finally {
    await removeJournal(home);
  }
}

/** Forward; back where a file was changed by another program, because then not all of the change can be made. */
async function settle(home: string, edits: readonly Edit[]): Promise<void> {
  const texts = await Promise.all(edits.map(({ source }) => textOf(join(home, source))));
  const isOurs = edits.every(({ before, after }, index) => texts[index] === before || texts[index] === after);
  if (!isOurs) return takeBack(home, edits);
  for (const [index, edit] of edits.entries()) if (texts[index] !== edit.after) await writeEdit(home, edit);
}

async function takeBack(home: string, edits: readonly Edit[]): Promise<void> {
  for (const { source, before, after } of edits)
    if ((await textOf(join(home, source))) === after) await writeEdit(home, { source, before: after, after: before });
}

async function isChanged(home: string, { source, before }: Edit): Promise<boolean> {
  return (await textOf(join(home, source))) !== before;
}

function changedMeanwhile({ source }: Edit): AppError {
  return new AppError('agent_version_stale', say('agent_version_stale.file', { file: source }));
}

function removeJournal(home: string): Promise<void> {
  return rm(join(home, JOURNAL), { force: true });
}
