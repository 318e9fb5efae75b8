import { useEffect } from 'react';
import type { TextKey } from '../i18n/en.ts';
import { text } from '../i18n/text.ts';

export type Command =
  | 'palette'
  | 'help'
  | 'newSession'
  | 'previousSession'
  | 'nextSession'
  | 'nextAction'
  | 'dashboard'
  | 'search'
  | 'schedules'
  | 'knowledge'
  | 'teams'
  | 'webhooks'
  | 'artifacts'
  | 'settings'
  | 'sessionsPane'
  | 'detailsPane'
  | 'composer'
  | 'find'
  | 'panels'
  | 'share'
  | 'theme';

/** In the order in which the help sheet lists them. */
export const SHORTCUT_GROUPS = ['navigation', 'session', 'view'] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

interface Shortcut {
  readonly command: Command;
  /** `Mod` is Command on a Mac and Control elsewhere; keys after a space follow each other. */
  readonly keys: string;
  readonly label: TextKey;
  readonly group: ShortcutGroup;
  /** Handled only by a part of the page that uses it; elsewhere the key is the browser's. */
  readonly isLocal?: boolean;
}

/** Single keys work wherever nothing is being written. */
export const SHORTCUTS: readonly Shortcut[] = [
  { command: 'palette', keys: 'Mod+k', label: 'keys.palette', group: 'navigation' },
  { command: 'help', keys: '?', label: 'keys.help', group: 'view' },
  { command: 'newSession', keys: 'c', label: 'keys.newSession', group: 'session' },
  { command: 'previousSession', keys: '[', label: 'keys.previousSession', group: 'navigation' },
  { command: 'nextSession', keys: ']', label: 'keys.nextSession', group: 'navigation' },
  { command: 'nextAction', keys: 'g a', label: 'keys.nextAction', group: 'navigation' },
  { command: 'dashboard', keys: 'g d', label: 'keys.dashboard', group: 'navigation' },
  { command: 'artifacts', keys: 'g l', label: 'nav.artifacts', group: 'navigation' },
  { command: 'search', keys: 'g s', label: 'keys.search', group: 'navigation' },
  { command: 'schedules', keys: 'g c', label: 'keys.schedules', group: 'navigation' },
  { command: 'knowledge', keys: 'g k', label: 'nav.knowledge', group: 'navigation' },
  { command: 'teams', keys: 'g e', label: 'nav.teams', group: 'navigation' },
  { command: 'webhooks', keys: 'g w', label: 'nav.webhooks', group: 'navigation' },
  { command: 'settings', keys: 'g ,', label: 'keys.settings', group: 'navigation' },
  { command: 'sessionsPane', keys: 'Mod+b', label: 'keys.sessionsPane', group: 'view' },
  { command: 'detailsPane', keys: 'Mod+.', label: 'keys.detailsPane', group: 'view' },
  { command: 'composer', keys: 'i', label: 'keys.composer', group: 'session' },
  { command: 'find', keys: 'Mod+f', label: 'keys.find', group: 'session', isLocal: true },
  { command: 'panels', keys: 'g p', label: 'keys.panels', group: 'session' },
  { command: 'share', keys: 's', label: 'keys.share', group: 'session' },
  { command: 'theme', keys: 'g t', label: 'keys.theme', group: 'view' },
];

/** Heard by those who are there, and no commands of the app. */
export const OTHER_KEYS: readonly Pick<Shortcut, 'keys' | 'label' | 'group'>[] = [
  { keys: 'y', label: 'keys.allow', group: 'session' },
  { keys: 'n', label: 'keys.deny', group: 'session' },
  { keys: 'Esc', label: 'keys.leaveBox', group: 'session' },
  { keys: 'F6', label: 'app.notices', group: 'view' },
];

const EVERYWHERE = SHORTCUTS.filter(({ isLocal }) => !isLocal);

interface Pressed {
  readonly key: string;
  readonly mod: boolean;
  readonly isWriting: boolean;
}

/** Finds the command for keys as they come, one after the other. */
class KeyReader {
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

/** As it is printed on the keys: `Ctrl K`, `G D`, `Esc`. */
export function spell(keys: string): string {
  return keysOf(keys).join(' ').replace('⌘ ', '⌘');
}

/** As in a sentence: `Ctrl+C`. */
export function spellTogether(keys: string): string {
  return keysOf(keys).join('+').replace('⌘+', '⌘');
}

/** Each key by itself. */
export function keysOf(keys: string): string[] {
  return keys.replace('Mod+', 'Mod ').split(' ').map(nameOf);
}

const NAMES: Readonly<Record<string, TextKey>> = {
  Alt: 'key.alt',
  Del: 'key.del',
  Mod: 'key.ctrl',
  Shift: 'key.shift',
};

function nameOf(key: string): string {
  if (key === 'Mod' && isMac) return '⌘';
  const name = NAMES[key];
  return name ? text(name) : key.length === 1 ? key.toUpperCase() : key;
}

/** Listens for the whole page. */
export function useShortcuts(run: (command: Command) => void): void {
  useEffect(() => {
    const reader = new KeyReader();
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const { key } = event;
      const mod = event.ctrlKey || event.metaKey;
      const command = reader.read({ key, mod, isWriting: isWriting(event.target) }, Date.now());
      if (!command) return;
      event.preventDefault();
      run(command);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [run]);
}

/** In a field, a menu or an editor, keys belong to it. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="menu"], [role="listbox"], [role="dialog"], json-editor') !== null)
  );
}
