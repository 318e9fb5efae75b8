import { describe, expect, it } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import { findLabel, intentOf, type KeyPress, Typeahead } from '../../web/features/sidebar/list-keys.ts';
import { chooseAgent } from '../../web/state/choose-agent.ts';
import { toFileName } from '../../web/ui/own-file.ts';
import { session } from './sidebar-fixtures.ts';

function press(key: string, held: Partial<KeyPress> = {}): KeyPress {
  return { key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held };
}

describe('keys in the list', () => {
  it.each([
    ['ArrowDown', {}, { kind: 'step', by: 1, selecting: false }],
    ['ArrowUp', { shiftKey: true }, { kind: 'step', by: -1, selecting: true }],
    ['ArrowUp', { altKey: true }, { kind: 'shift', by: -1 }],
    ['Home', {}, { kind: 'edge', at: 'first' }],
    ['Enter', {}, { kind: 'open' }],
    ['F2', {}, { kind: 'rename' }],
    ['Delete', {}, { kind: 'delete' }],
    ['p', {}, { kind: 'pin' }],
    ['e', {}, { kind: 'archive' }],
    ['x', {}, { kind: 'select' }],
    ['c', {}, { kind: 'new' }],
    [' ', {}, { kind: 'select' }],
    ['a', { ctrlKey: true }, { kind: 'selectAll' }],
    ['F10', { shiftKey: true }, { kind: 'menu' }],
    ['t', {}, { kind: 'type', letter: 't' }],
  ])('%s with %o', (key, held, intent) => {
    expect(intentOf(press(key, held), false)).toEqual(intent);
  });

  it('belong to the word while one is being typed', () => {
    expect(intentOf(press('e'), true)).toEqual({ kind: 'type', letter: 'e' });
    expect(intentOf(press('c'), true)).toEqual({ kind: 'type', letter: 'c' });
  });

  it('leave the keys of the whole app and of the browser alone', () => {
    expect(intentOf(press('?'), false)).toBeNull();
    expect(intentOf(press('k', { ctrlKey: true }), false)).toBeNull();
    expect(intentOf(press('ArrowLeft', { altKey: true }), false)).toBeNull();
  });
});

describe('typing in the list', () => {
  it('makes one word of what is typed quickly, and another after a pause', () => {
    const typeahead = new Typeahead();
    typeahead.type('m', 0);
    expect(typeahead.type('o', 300)).toBe('mo');
    expect(typeahead.isTyping(900)).toBe(true);
    expect(typeahead.isTyping(1100)).toBe(false);
    expect(typeahead.type('x', 1100)).toBe('x');
  });

  const labels = ['Alpha', 'Beta', 'Bravo', 'Atlas'];

  it('finds the next label that begins with it, around the end', () => {
    expect(findLabel(labels, 1, 'a')).toBe(3);
    expect(findLabel(labels, 3, 'a')).toBe(0);
    expect(findLabel(labels, 1, 'br')).toBe(2);
    expect(findLabel(labels, 0, 'z')).toBeNull();
  });

  it('steps onward with the same letter, and stays while the word still fits', () => {
    expect(findLabel(labels, 1, 'bb')).toBe(2);
    expect(findLabel(labels, 1, 'be')).toBe(1);
  });
});

describe('whom a new session is with', () => {
  const agent = (agentId: string, given: Partial<Agent> = {}): Agent =>
    ({ agentId, parentAgentId: null, available: true, uiVisible: true, ...given }) as Agent;

  it('is whoever the person spoke with last', () => {
    const sessions = [session('s1', { agentId: 'a' }), session('s2', { agentId: 'b' })];
    expect(chooseAgent(sessions, [agent('a'), agent('b')])).toBe('b');
  });

  it('passes over those who cannot answer and work nobody talked in', () => {
    const sessions = [
      session('s1', { agentId: 'a' }),
      session('s2', { agentId: 'gone' }),
      session('s3', { agentId: 'b', type: 'tool-execution' }),
    ];
    expect(chooseAgent(sessions, [agent('b'), agent('a')])).toBe('a');
  });

  it('is the first at the top of the hierarchy when nobody was spoken with', () => {
    expect(chooseAgent([], [agent('child', { parentAgentId: 'top' }), agent('top')])).toBe('top');
    expect(chooseAgent([], [agent('parley/builder'), agent('top')])).toBe('top');
    expect(chooseAgent([], [agent('off', { available: false })])).toBeNull();
  });
});

describe('the name of an exported file', () => {
  it.each([
    ['Split the invoice module', 'Split-the-invoice-module'],
    ['../../etc/passwd', 'etc-passwd'],
    ['Überblick: a/b?', 'Überblick-a-b'],
    ['???', 'session'],
  ])('%s', (title, name) => {
    expect(toFileName(title)).toBe(name);
  });
});
