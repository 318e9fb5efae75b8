import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { kindNamed } from '../agents/kinds.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EditBase } from './edits.ts';

/**
 * A change over the API may bring about that a program is started which was not started before, also for agents that only
 * inherit it. It counts once the person has confirmed the whole command line; files need no confirmation.
 */
export function refuseUnconfirmedCommands(before: EditBase, after: EditBase, confirmed: string | undefined): void {
  const unconfirmed = newCommands(before, [...after.agents.values()]).filter((line) => line !== confirmed);
  if (unconfirmed.length === 0) return;
  const commands = unconfirmed.join('; ');
  throw new AppError('command_unconfirmed', say('command_unconfirmed', { commands }), {
    issues: unconfirmed,
  });
}

/** The command lines of these agents that no agent has had before. */
export function newCommands(before: EditBase, agents: readonly ResolvedAgent[]): string[] {
  const known = new Set([...before.agents.values()].map(commandLineOf));
  const lines = agents.map(commandLineOf).filter((line) => line !== null);
  return [...new Set(lines)].filter((line) => !known.has(line));
}

/** The program that an agent starts, with all it is given; null when it starts none. */
function commandLineOf({ kind, type, resolved }: ResolvedAgent): string | null {
  return kindNamed(kind).commandLine?.(resolved[type] ?? {}) ?? null;
}
