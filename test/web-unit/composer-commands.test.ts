import { describe, expect, it } from 'vitest';
import { commandAgentAt, commandAt, readLine } from '../../web/features/composer/commands.ts';

describe('a line in the composer', () => {
  it('is words unless it begins with a slash', () => {
    expect(readLine('what about /new?')).toEqual({ kind: 'words', text: 'what about /new?' });
    expect(readLine(' /new')).toEqual({ kind: 'words', text: ' /new' });
    expect(readLine('')).toEqual({ kind: 'words', text: '' });
  });

  it('is words when it begins with a path or with something between slashes', () => {
    for (const text of ['/etc/hosts is wrong', '/new/agent', '/2 of it', '/', '/ new', '/wörter'])
      expect(readLine(text)).toEqual({ kind: 'words', text });
  });

  it('says a slash with two', () => {
    expect(readLine('//new is a command')).toEqual({ kind: 'words', text: '/new is a command' });
  });

  it('is a command with what stands after its name', () => {
    expect(readLine('/rename  Trip to Rome ')).toEqual({ kind: 'command', name: 'rename', argument: 'Trip to Rome' });
    expect(readLine('/agent wisp/scheduler')).toEqual({ kind: 'command', name: 'agent', argument: 'wisp/scheduler' });
    expect(readLine('/NEW')).toEqual({ kind: 'command', name: 'new', argument: '' });
    expect(readLine('/compact\n')).toEqual({ kind: 'command', name: 'compact', argument: '' });
  });

  it('knows commands by other names', () => {
    expect(readLine('/switch bob')).toEqual({ kind: 'command', name: 'agent', argument: 'bob' });
    expect(readLine('/?')).toEqual({ kind: 'command', name: 'help', argument: '' });
  });

  it('is not carried out when something is missing or too much', () => {
    expect(readLine('/rename ')).toEqual({ kind: 'incomplete', name: 'rename' });
    expect(readLine('/clear the table please')).toEqual({ kind: 'surplus', name: 'clear' });
  });

  it('is not taken for a command that belongs to every object', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty'])
      expect(readLine(`/${name}`)).toEqual({ kind: 'unknown', name });
  });
});

describe('a command that is being written', () => {
  it('is the word at the very beginning, up to the caret', () => {
    expect(commandAt('/co', 3)).toEqual({ start: 0, end: 3, typed: 'co' });
    expect(commandAt('/compact', 3)).toEqual({ start: 0, end: 8, typed: 'co' });
    expect(commandAt('/', 1)).toEqual({ start: 0, end: 1, typed: '' });
  });

  it('is over when the caret has left its name, and in a path', () => {
    expect(commandAt('/rename trip', 12)).toBeNull();
    expect(commandAt('/co', 0)).toBeNull();
    expect(commandAt('/etc/hosts', 4)).toBeNull();
    expect(commandAt('say /co', 7)).toBeNull();
  });

  it('has its agent named after it', () => {
    expect(commandAgentAt('/agent bo', 9)).toEqual({ start: 7, end: 9, typed: 'bo' });
    expect(commandAgentAt('/agent ', 7)).toEqual({ start: 7, end: 7, typed: '' });
    expect(commandAgentAt('/rename bo', 10)).toBeNull();
    expect(commandAgentAt('/agent bo and more', 9)).toBeNull();
  });
});
