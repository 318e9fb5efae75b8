import type { ExportedArtifacts, ExportedHistory } from '../../contract/artifact-export.ts';

/** Of one artifact, in one request. */
const MOST_ENTRIES = 2000;
const MOST_BYTES = 3_000_000;

type Body = ExportedArtifacts;
const NOTHING = { lists: [], notes: [], views: [], files: [] };

/** What is imported, in requests of a size that every server takes. */
export function* partsOf(content: Body): Generator<Body> {
  const { lists = [], notes = [], views = [], files = [], ...rest } = content;
  const all = [lists, notes, views, files];
  // The server says what is wrong with it.
  const isWhole =
    all.every(Array.isArray) && all.flat().every(isReadable) && lists.every(({ items }) => Array.isArray(items));
  if (!isWhole || all.every(({ length }) => length === 0)) return yield content;
  for (const list of lists) {
    const [first, ...more] = pieces(list.items);
    for (const { artifact, isFirst } of inPieces(list))
      yield { ...rest, ...NOTHING, lists: [{ ...artifact, items: isFirst ? first! : [] }] };
    for (const items of more) yield { ...rest, ...NOTHING, lists: [{ ...withoutChanges(list), items }] };
  }
  for (const note of notes) for (const { artifact } of inPieces(note)) yield { ...rest, ...NOTHING, notes: [artifact] };
  for (const view of views) for (const { artifact } of inPieces(view)) yield { ...rest, ...NOTHING, views: [artifact] };
  for (const file of files) for (const { artifact } of inPieces(file)) yield { ...rest, ...NOTHING, files: [artifact] };
}

function isReadable(artifact: unknown): boolean {
  const { history } = (artifact ?? {}) as { history?: { changes?: unknown } };
  return history === undefined || (history !== null && Array.isArray(history.changes));
}

/** The artifact with some of its history each time; once without, when it has none. */
function* inPieces<T extends { history?: ExportedHistory | undefined }>(
  whole: T,
): Generator<{ artifact: T; isFirst: boolean }> {
  const { history } = whole;
  if (!history) return yield { artifact: whole, isFirst: true };
  let isFirst = true;
  for (const changes of pieces(history.changes)) {
    yield { artifact: { ...whole, history: { ...history, changes } }, isFirst };
    isFirst = false;
  }
}

function withoutChanges<T extends { history?: ExportedHistory | undefined }>(whole: T): T {
  return whole.history ? { ...whole, history: { ...whole.history, changes: [] } } : whole;
}

/** At least one, which may be empty. */
function* pieces<T>(all: readonly T[]): Generator<T[]> {
  let piece: T[] = [];
  let bytes = 0;
  for (const one of all) {
    const size = JSON.stringify(one).length;
    if (piece.length > 0 && (piece.length === MOST_ENTRIES || bytes + size > MOST_BYTES)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(one);
    bytes += size;
  }
  yield piece;
}
