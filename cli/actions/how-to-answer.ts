import type { Action } from '../../contract/actions.ts';
import type { HomeOption } from '../connect.ts';
import { safeLine } from '../terminal-text.ts';
import { shortId } from './short-id.ts';

/** The commands that answer an action, each with what it means. */
export function howToAnswer(action: Action, homeOption: HomeOption = {}): string[] {
  const where = homeOption.home ? ` --home ${quoted(homeOption.home)}` : '';
  return waysToAnswer(action).map(([command, rest, meaning]) => {
    return `  parley ${command} ${shortId(action.id)}${where}${rest ? ` ${rest}` : ''}   # ${meaning}`;
  });
}

type Way = [command: string, rest: string, meaning: string];

function waysToAnswer({ kind, question }: Action): Way[] {
  switch (kind) {
    case 'approval':
      return [
        ['approve', '', 'once; or with --session or --always'],
        ['deny', '--reason "…"', 'with a reason for the agent'],
      ];
    case 'question':
      return [
        ['answer', fieldFlags(question?.fields?.map(({ name }) => name)), 'answer it'],
        ['answer', '--decline', 'skip it'],
      ];
    case 'limit':
      return [
        ['approve', '', 'continue'],
        ['deny', '', 'stop here'],
      ];
    case 'failure':
      return [
        ['approve', '', 'try again'],
        ['deny', '', 'dismiss it'],
      ];
    default:
      return kind satisfies never;
  }
}

function fieldFlags(names: readonly string[] | undefined): string {
  return names?.length ? names.map((name) => `--field ${safeLine(name)}=…`).join(' ') : '"…"';
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
