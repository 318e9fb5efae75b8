import { describe, expect, it } from 'vitest';
import {
  bestFits,
  completed,
  fitness,
  isRunnable,
  leadingNames,
  leadOf,
  nameAt,
  suggest,
  take,
} from '../../web/features/composer/suggestions.ts';
import { anAgent } from '../harness/shapes.ts';

describe('the names a message begins with', () => {
  it('are all those at its beginning, and none further on', () => {
    const words = (text: string) => leadingNames(text).map(({ start, end }) => text.slice(start, end));
    expect(words('@bob hello')).toEqual(['@bob']);
    expect(words('  @bob, @wisp/eve and @all: go')).toEqual(['@bob', '@wisp/eve', '@all']);
    expect(words('ask @bob')).toEqual([]);
    expect(words('@bob ask @eve')).toEqual(['@bob']);
  });

  it('are being written where the caret stands', () => {
    expect(nameAt('@bo', 3)).toEqual({ start: 0, end: 3 });
    expect(nameAt('@', 1)).toEqual({ start: 0, end: 1 });
    expect(nameAt('@bob @e', 7)).toEqual({ start: 5, end: 7 });
    expect(nameAt('@bob hello', 10)).toBeNull();
    expect(nameAt('me@home', 4)).toBeNull();
    expect(nameAt('@bob', 0)).toBeNull();
  });

  it('decide who answers, whatever is written after them', () => {
    expect(leadOf('@bob @eve hello there')).toBe(leadOf('@bob @eve how are you'));
    expect(leadOf('@bob')).toBe('@bob');
    expect(leadOf('@bob@home')).toBe('@bob@');
    expect(leadOf('hello @bob')).toBeNull();
    expect(leadOf('@')).toBeNull();
  });

  it('are found in linear time', () => {
    const long = `@a${' '.repeat(200_000)}`;
    expect(leadingNames(long + long)).toHaveLength(2);
    expect(leadingNames('@a '.repeat(50_000))).toHaveLength(50_000);
  });
});

describe('fitting', () => {
  it('prefers beginnings, then words, then places inside, then letters in order', () => {
    expect(fitness('con', 'concierge')).toBe(4);
    expect(fitness('con', 'wisp/concierge')).toBe(3);
    expect(fitness('cier', 'concierge')).toBe(2);
    expect(fitness('cge', 'concierge')).toBe(1);
    expect(fitness('gec', 'concierge')).toBe(0);
    expect(fitness('CON', 'Concierge')).toBe(4);
  });

  it('keeps the order of those that fit alike', () => {
    expect(bestFits('a', ['xa', 'ab', 'ac', 'b'], (name) => [name])).toEqual(['ab', 'ac', 'xa']);
  });
});

describe('the list above the box', () => {
  const agents = [
    anAgent('bob', { displayName: 'Bob' }),
    anAgent('wisp/eve', { displayName: 'Eve', available: false }),
    anAgent('hidden', { displayName: 'Hidden', uiVisible: false }),
  ];
  const keys = (text: string) => suggest(text, text.length, agents)?.items.map(({ key }) => key) ?? null;

  it('offers everybody after a leading @, those who cannot answer last, and all of them at once', () => {
    expect(keys('@')).toEqual(['bob', 'wisp/eve', '@all']);
    expect(keys('@ev')).toEqual(['wisp/eve']);
    expect(keys('@bob, @al')).toEqual(['@all']);
  });

  it('offers the primary after those who would be guests', () => {
    expect(suggest('@', 1, agents, 'bob')?.items.map(({ key }) => key)).toEqual(['wisp/eve', 'bob', '@all']);
  });

  it('offers nothing where a name is only a word', () => {
    expect(keys('hello @bo')).toBeNull();
    expect(keys('@nobody-like-that')).toBeNull();
  });

  it('offers commands after a leading slash, and agents where a command wants one', () => {
    expect(keys('/re')).toEqual(['/retry', '/rename', '/share', '/archive']);
    expect(keys('/agent b')).toEqual(['bob']);
    expect(keys('/rename b')).toBeNull();
  });

  it('puts what is taken in the place of what was typed', () => {
    const text = '@bob @e what do you think?';
    const list = suggest(text, 7, agents)!;
    expect(take(text, list, list.items[0]!)).toEqual({ text: '@bob @wisp/eve what do you think?', caret: 15 });
  });

  it('carries out a command that is complete, and goes on writing one that is not', () => {
    const chosen = (text: string) => suggest(text, text.length, agents)!.items[0]!;
    expect(isRunnable(chosen('/comp'), '/compact')).toBe(true);
    expect(isRunnable(chosen('/renam'), '/rename ')).toBe(false);
    expect(isRunnable(chosen('/agent b'), '/agent bob')).toBe(true);
    expect(isRunnable(chosen('@b'), '@bob ')).toBe(false);
    expect(completed(chosen('/ne')).insert).toBe('/new ');
    expect(completed(chosen('/comp')).insert).toBe('/compact');
  });
});
