import type { ArtifactRow, Db } from '../storage/tables.ts';
import { countSinceText, insertNoteText, selectNoteText, selectTextChanges } from './change-store.ts';
import type { ArtifactEdit } from './changing.ts';
import { diffLines, linesOf } from './line-diff.ts';
import { readFields } from './shapes.ts';
import { pieceOf, type TextPiece, withoutPiece } from './text-piece.ts';

/** After so many changes of its text, a note is kept whole, so that no version is far from one that is. */
const KEPT_EVERY = 100;

/** The text of a note as a version left it: later changes are taken back from a text that is known. */
export async function textAt(db: Db, note: ArtifactRow, version: number): Promise<string> {
  if (version >= note.version) return note.text;
  const [kept] = await selectNoteText(db, note.owner, note.id, version);
  let { text } = kept ?? note;
  const from = (kept?.version ?? note.version) + 1;
  for (const change of await selectTextChanges(db, note.owner, note.id, from, version, -1)) {
    const before = String(readFields(change.before)?.text ?? '');
    const after = String(readFields(change.after)?.text ?? '');
    text = withoutPiece(text, { at: change.text_at!, before, after });
  }
  return text;
}

/** Called before a change of the text is recorded: keeps the text as it was so far where that is due. */
export async function keepText({ changing, row }: ArtifactEdit): Promise<void> {
  const { db } = changing;
  const [since] = await countSinceText(db, row.owner, row.id);
  if (since!.count < KEPT_EVERY) return;
  await insertNoteText(db, row.owner, row.id, row.version, row.text);
}

export interface TextChange extends TextPiece {
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export function textChange(before: string, after: string): TextChange {
  const piece = pieceOf(before, after);
  const [old, now] = [wholeLines(before, piece.at, piece.before), wholeLines(after, piece.at, piece.after)];
  let [linesAdded, linesRemoved] = [0, 0];
  for (const { start, end, lines } of diffLines(linesOf(old), linesOf(now))) {
    linesAdded += lines.length;
    linesRemoved += end - start;
  }
  return { ...piece, linesAdded, linesRemoved };
}

function wholeLines(text: string, at: number, piece: string): string {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at + piece.length);
  return text.slice(start, end < 0 ? undefined : end);
}
