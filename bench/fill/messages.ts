/** Fills a database with made-up sessions, for measuring: `node bench/fill/messages.ts <file> [messages]`. */
import { Filler } from './filler.ts';
import { wordsWithRare } from './words.ts';

const PER_SESSION = 50;

export function fillMessages(file: string, count: number): Promise<void> {
  return Filler.fill(file, (filler) => {
    const start = Date.now();
    for (let index = 0; index < count; index++) addMessage(filler, index, start - (count - index) * 60_000);
  });
}

/** A message a minute, up to now. */
function addMessage(filler: Filler, index: number, at: number): void {
  const sessionId = `s${Math.floor(index / PER_SESSION)}`;
  const seq = (index % PER_SESSION) + 1;
  if (seq === 1) filler.addSession(sessionId, `Session ${sessionId}`, PER_SESSION, `m${index + PER_SESSION - 1}`, at);
  const parentId = seq > 1 ? `m${index - 1}` : null;
  filler.addMessage({ id: `m${index}`, sessionId, seq, parentId, text: wordsWithRare(index), at });
}

if (import.meta.main) {
  const [file, count] = process.argv.slice(2);
  if (!file) throw new Error('Name the file to fill.');
  await fillMessages(file, Number(count ?? 1_000_000));
}
