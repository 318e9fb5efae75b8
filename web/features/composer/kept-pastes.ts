import { deviceMemory, recall, remember } from '../../state/device-memory.ts';

/** A long text that was pasted and stands beside the message as a file. */
export interface Paste {
  readonly key: string;
  readonly name: string;
  readonly text: string;
  /** It was cut off a text that is too long for one file. */
  readonly isPiece?: boolean;
}

type Pastes = Readonly<Record<string, readonly Paste[]>>;

const KEY = 'parley.pastes';
/** Browsers give a site about five million characters in all, and drafts need some. */
const MOST_CHARACTERS = 2_000_000;

/** Pasted texts that were not sent yet, by session, as they were when the page was left. */
export function readPastes(): Pastes {
  return recall(KEY, {});
}

/** Changes those of one session; other tabs have written those of others. */
export function keepPastes(sessionId: string, pastes: readonly Paste[]): void {
  const { [sessionId]: before = [], ...others } = readPastes();
  if (before.length === 0 && pastes.length === 0) return;
  const all = pastes.length === 0 ? others : { ...others, [sessionId]: pastes };
  remember(KEY, all);
}

/** Whether a text can be kept through a reload. One that cannot stays in the message, as part of the draft. */
export function hasRoomFor(text: string): boolean {
  return (deviceMemory.getItem(KEY)?.length ?? 0) + text.length <= MOST_CHARACTERS;
}
