import { ToolFailure } from '../../tool.ts';
import type { Workspace } from './workspace.ts';

/** A file that is text as a whole, and not longer than so much. */
export async function readText(workspace: Workspace, place: string, maxBytes: number): Promise<string> {
  const file = await workspace.openFile(place);
  try {
    const chunk = Buffer.alloc(Math.min((await file.stat()).size, maxBytes) + 1);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, 0);
    if (bytesRead > maxBytes) throw new ToolFailure(`${place} is larger than ${maxBytes} bytes.`, 'too_large');
    return decode(place, chunk.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

const MOST_REPLACED = 1_000_000;

/** Refuses what would not come out again as it went in. */
function decode(place: string, bytes: Buffer): string {
  if (bytes.includes(0)) throw notText(place);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(place);
  }
}

export function notText(place: string): ToolFailure {
  return new ToolFailure(`${place} is not a text file.`, 'not_text');
}

/**
 * Replaces one occurrence, or all; a text that occurs otherwise than expected changes nothing. What would become too long
 * is refused before it is made: a million occurrences of one letter can become any length.
 */
export function replaceText(
  text: string,
  find: string,
  replace: string,
  all: boolean,
): { text: string; count: number } {
  const pieces = text.split(find);
  const count = pieces.length - 1;
  if (count === 0) throw new ToolFailure('The text to replace does not occur in the file.', 'no_match');
  if (count > 1 && !all) {
    const hint = 'Include more of the surrounding text, or set all.';
    throw new ToolFailure(`The text to replace occurs ${count} times. ${hint}`, 'ambiguous');
  }
  if (text.length + count * (replace.length - find.length) > MOST_REPLACED)
    throw new ToolFailure(`The text would be longer than ${MOST_REPLACED} characters.`, 'too_large');
  return { text: pieces.join(replace), count };
}
