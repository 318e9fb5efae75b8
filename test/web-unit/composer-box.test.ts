import { describe, expect, it } from 'vitest';
import { Limits } from '../../contract/config.ts';
import { IMAGE_FILE_BYTES, TEXT_FILE_BYTES } from '../../contract/files.ts';
import type { Message } from '../../contract/messages.ts';
import type { Turn } from '../../contract/turns.ts';
import {
  cutPaste,
  kindOf,
  MOST_BYTES,
  MOST_FILES,
  MOST_IMAGE_BYTES,
  MOST_TEXT_BYTES,
  refusalOf,
} from '../../web/features/composer/attachment-rules.ts';
import {
  type ComposerAction,
  composerActionOf,
  type Key,
  type Situation,
} from '../../web/features/composer/box-keys.ts';
import { contextUse, stepsOf } from '../../web/features/composer/context-use.ts';
import { placeAfterDrop, placeBeside } from '../../web/features/composer/use-queue.ts';
import { isLongText } from '../../web/ui/long-text.ts';

describe('a text is long', () => {
  it.each([
    ['4,000 characters', 'x'.repeat(4000), false],
    ['4,001 characters', 'x'.repeat(4001), true],
    ['60 lines', 'x\n'.repeat(59), false],
    ['61 lines', 'x\n'.repeat(60), true],
    ['nothing', '', false],
  ])('or not: %s', (_, text, isLong) => {
    expect(isLongText(text)).toBe(isLong);
  });
});

describe('a key in the box', () => {
  it('sends with Enter and makes a new line with Shift', () => {
    expect(press('Enter')).toEqual({ do: 'send', busy: 'queue' });
    expect(press('Enter', { shiftKey: true })).toBeNull();
  });

  it('leaves Enter to an input method while it puts a word together', () => {
    expect(press('Enter', { isComposing: true })).toBeNull();
    expect(press('Enter', { keyCode: 229 })).toBeNull();
    expect(press('Enter', { isComposing: true }, { isOffered: true })).toBeNull();
  });

  it('makes a new line on a touch screen, where there is a button to send', () => {
    expect(press('Enter', {}, { isTouch: true })).toBeNull();
  });

  it('interrupts with the modifier and steers with Alt', () => {
    expect(press('Enter', { ctrlKey: true })).toEqual({ do: 'send', busy: 'interrupt' });
    expect(press('Enter', { metaKey: true })).toEqual({ do: 'send', busy: 'interrupt' });
    expect(press('Enter', { altKey: true })).toEqual({ do: 'send', busy: 'steer' });
  });

  it('moves in the list, takes from it and closes it', () => {
    const offered = { isOffered: true };
    expect(press('ArrowDown', {}, offered)).toEqual({ do: 'move', step: 1 });
    expect(press('Enter', {}, offered)).toEqual({ do: 'take' });
    expect(press('Tab', {}, offered)).toEqual({ do: 'complete' });
    expect(press('Tab', { shiftKey: true }, offered)).toBeNull();
    expect(press('Escape', {}, offered)).toEqual({ do: 'close' });
    expect(press('Enter', { ctrlKey: true }, offered)).toEqual({ do: 'send', busy: 'interrupt' });
  });

  it('stops nothing by accident: Escape without a list or a dictation only leaves the box', () => {
    expect(press('Escape')).toEqual({ do: 'leave' });
    expect(press('Escape', { isComposing: true })).toBeNull();
    expect(press('Escape', {}, { isDictating: true })).toEqual({ do: 'cancel' });
    expect(press('Enter', {}, { isDictating: true })).toEqual({ do: 'finish' });
  });
});

describe('a message that waits', () => {
  it('takes the place of the one it is dropped on', () => {
    expect(placeAfterDrop(['a', 'b', 'c'], 'a', 'c')).toBe(2);
    expect(placeAfterDrop(['a', 'b', 'c'], 'c', 'a')).toBe(0);
    expect(placeAfterDrop(['a', 'b'], 'a', 'a')).toBeNull();
    expect(placeAfterDrop(['a', 'b'], 'gone', 'a')).toBeNull();
  });

  it('goes one place up or down, and no further than the ends', () => {
    expect(placeBeside(['a', 'b'], 'b', -1)).toBe(0);
    expect(placeBeside(['a', 'b'], 'a', -1)).toBeNull();
    expect(placeBeside(['a', 'b'], 'b', 1)).toBeNull();
  });
});

describe('a file', () => {
  const file = (name: string, type = '', size = 10) => ({ name, type, size });

  it('is text or a picture by its type, else by its name', () => {
    expect(kindOf(file('a.png', 'image/png'))).toBe('image');
    expect(kindOf(file('notes', 'text/plain'))).toBe('text');
    expect(kindOf(file('main.rs'))).toBe('text');
    expect(kindOf(file('data', 'application/json'))).toBe('text');
    expect(kindOf(file('film.mp4', 'video/mp4'))).toBeNull();
  });

  it('goes along up to the limits, and one past them it does not', () => {
    expect(refusalOf(file('a.txt', '', MOST_TEXT_BYTES), MOST_FILES - 1, ['text'])).toBeNull();
    expect(refusalOf(file('a.txt', '', MOST_TEXT_BYTES + 1), 0, ['text'])).toBe('textTooLarge');
    expect(refusalOf(file('a.png', 'image/png', MOST_IMAGE_BYTES), 0, ['image'])).toBeNull();
    expect(refusalOf(file('a.png', 'image/png', MOST_IMAGE_BYTES + 1), 0, ['image'])).toBe('imageTooLarge');
    expect(refusalOf(file('a.txt', '', MOST_BYTES + 1), 0, ['text'])).toBe('tooLarge');
    expect(refusalOf(file('a.txt'), MOST_FILES, ['text'])).toBe('tooMany');
    expect(refusalOf(file('a.txt', '', 0), 0, ['text'])).toBe('empty');
  });

  it('meets the limits of the server', () => {
    const { fileBytes, filesPerMessage } = Limits.parse({});
    expect([MOST_BYTES, MOST_FILES]).toEqual([fileBytes, filesPerMessage]);
    expect([MOST_TEXT_BYTES, MOST_IMAGE_BYTES]).toEqual([TEXT_FILE_BYTES, IMAGE_FILE_BYTES]);
  });

  it('is refused where the agent cannot take it', () => {
    expect(refusalOf(file('a.png', 'image/png'), 0, ['text'])).toBe('noImages');
    expect(refusalOf(file('a.txt'), 0, ['image'])).toBe('noText');
    expect(refusalOf(file('a.txt'), 0, [])).toBe('nothingTaken');
    expect(refusalOf(file('a.bin', 'application/octet-stream'), 0, ['text', 'image'])).toBe('neither');
  });
});

describe('a pasted text', () => {
  it('is cut into pieces of at most the size of a text file, at line ends and never inside a character', () => {
    expect(cutPaste('short')).toEqual(['short']);
    const lines = `${'x'.repeat(99)}\n`.repeat(3_190);
    const pieces = cutPaste(lines);
    expect(pieces.map(({ length }) => length)).toEqual([MOST_TEXT_BYTES, 119_000]);
    const wide = 'a😀'.repeat(60_000);
    expect(cutPaste(wide).join('')).toBe(wide);
    for (const piece of cutPaste(wide)) {
      expect(new Blob([piece]).size).toBeLessThanOrEqual(MOST_TEXT_BYTES);
      expect(piece.isWellFormed()).toBe(true);
    }
  });
});

describe('how much of the context is used', () => {
  it('is what the newest settled turn of the primary read', () => {
    const turns = [
      turn('1', 'bob', { inputTokens: 100, endedAt: '2026-01-01T00:00:01Z' }),
      turn('2', 'bob', { inputTokens: 400, endedAt: '2026-01-01T00:00:02Z' }),
      turn('3', 'eve', { inputTokens: 900, endedAt: '2026-01-01T00:00:03Z' }),
      turn('4', 'bob', { inputTokens: 900, endedAt: null }),
    ];
    expect(contextUse(known(turns, []), 'bob')).toMatchObject({ turnId: '2', tokens: 400 });
    expect(contextUse(known(turns, []), 'nobody')).toBeNull();
  });

  it('is the share of one request where a turn made several', () => {
    const used = message('2', ['text', 'tool_call', 'tool_call', 'tool_result', 'tool_result', 'text']);
    const turns = [turn('2', 'bob', { inputTokens: 400, endedAt: '2026-01-01T00:00:02Z' })];
    expect(contextUse(known(turns, [used]), 'bob')?.tokens).toBe(200);
  });

  it('counts one request for each message and one after each set of results', () => {
    expect(stepsOf([])).toBe(1);
    expect(stepsOf([message('1', ['text'])])).toBe(1);
    expect(stepsOf([message('1', ['tool_call', 'tool_result', 'tool_call', 'tool_result', 'text'])])).toBe(3);
    expect(stepsOf([message('1', ['text']), message('1', ['text'])])).toBe(2);
  });
});

function press(key: string, more: Partial<Key> = {}, situation: Partial<Situation> = {}): ComposerAction | null {
  const plain = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, isComposing: false, keyCode: 0 };
  return composerActionOf(
    { key, ...plain, ...more },
    { isOffered: false, isDictating: false, isTouch: false, ...situation },
  );
}

function known(turns: Turn[], messages: Message[]) {
  return {
    turns: new Map(turns.map((one) => [one.id, one])),
    messages: new Map(messages.map((one) => [one.id, one])),
  };
}

function turn(id: string, agentId: string, { inputTokens, endedAt }: { inputTokens: number; endedAt: string | null }) {
  return {
    id,
    agentId,
    guest: false,
    parentTurnId: null,
    endedAt,
    usage: { inputTokens, outputTokens: 1 },
  } as Turn;
}

let count = 0;
function message(turnId: string, types: string[]): Message {
  const parts = types.map((type) => ({ type })) as Message['parts'];
  return { id: `m${++count}`, turnId, role: 'assistant', parts } as Message;
}
