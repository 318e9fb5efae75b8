import type { TextKey } from '../i18n/en.ts';

export type Command =
  | 'palette'
  | 'help'
  | 'newSession'
  | 'previousSession'
  | 'nextSession'
  | 'nextAction'
  | 'dashboard'
  | 'search'
  | 'settings'
  | 'sessionsPane'
  | 'detailsPane'
  | 'composer'
  | 'find'
  | 'share'
  | 'theme';

export interface Shortcut {
  readonly command: Command;
  /** `Mod` is Command on a Mac and Control elsewhere; keys after a space follow each other. */
  readonly keys: string;
  readonly label: TextKey;
  /** Heard only where it means something, by whoever is there; elsewhere the key is the browser's. */
  readonly isLocal?: boolean;
}

/** Single keys work wherever nothing is being written. */
export const SHORTCUTS: readonly Shortcut[] = [
  { command: 'palette', keys: 'Mod+k', label: 'keys.palette' },
  { command: 'help', keys: '?', label: 'keys.help' },
  { command: 'newSession', keys: 'c', label: 'keys.newSession' },
  { command: 'previousSession', keys: '[', label: 'keys.previousSession' },
  { command: 'nextSession', keys: ']', label: 'keys.nextSession' },
  { command: 'nextAction', keys: 'g a', label: 'keys.nextAction' },
  { command: 'dashboard', keys: 'g d', label: 'keys.dashboard' },
  { command: 'search', keys: 'g s', label: 'keys.search' },
  { command: 'settings', keys: 'g ,', label: 'keys.settings' },
  { command: 'sessionsPane', keys: 'Mod+b', label: 'keys.sessionsPane' },
  { command: 'detailsPane', keys: 'Mod+.', label: 'keys.detailsPane' },
  { command: 'composer', keys: 'i', label: 'keys.composer' },
  { command: 'find', keys: 'Mod+f', label: 'keys.find', isLocal: true },
  { command: 'share', keys: 's', label: 'keys.share' },
  { command: 'theme', keys: 'g t', label: 'keys.theme' },
];

/** Heard by those who are there, and no commands of the app. */
export const OTHER_KEYS: readonly Pick<Shortcut, 'keys' | 'label'>[] = [
  { keys: 'Esc', label: 'keys.leaveBox' },
  { keys: 'F6', label: 'app.notices' },
];

const EVERYWHERE = SHORTCUTS.filter(({ isLocal }) => !isLocal);

export interface Pressed {
  readonly key: string;
  readonly mod: boolean;
  readonly isWriting: boolean;
}

/** Finds the command for keys as they come, one after the other. */
export class KeyReader {
  #prefix = '';
  #at = 0;

  read({ key, mod, isWriting }: Pressed, now: number): Command | null {
    if (mod) return EVERYWHERE.find(({ keys }) => keys === `Mod+${key.toLowerCase()}`)?.command ?? null;
    if (isWriting) return null;
    const prefix = now - this.#at < SEQUENCE_MS ? this.#prefix : '';
    const typed = prefix ? `${prefix} ${key}` : key;
    const isBeginning = SHORTCUTS.some(({ keys }) => keys.startsWith(`${typed} `));
    this.#prefix = isBeginning ? typed : '';
    this.#at = now;
    return SHORTCUTS.find(({ keys }) => keys === typed)?.command ?? null;
  }
}

const SEQUENCE_MS = 1200;

const isMac = typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.userAgent);

export function spell(keys: string): string {
  return keys.replace('Mod+', isMac ? '⌘' : 'Ctrl ').toUpperCase();
}
