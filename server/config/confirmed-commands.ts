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
  const known = new Set([...before.agents.values()].map(commandLineOf));
  const lines = [...after.agents.values()].map(commandLineOf).filter((line) => line !== null && !known.has(line));
  const unconfirmed = [...new Set(lines)].filter((line) => line !== confirmed);
  if (unconfirmed.length === 0) return;
  const commands = unconfirmed.join('; ');
  throw new AppError('command_unconfirmed', say('command_unconfirmed', { commands }), {
    issues: unconfirmed as string[],
  });
}

/** The program that an agent starts, with all it is given; null when it starts none. */
function commandLineOf({ kind, type, resolved }: ResolvedAgent): string | null {
  return kindNamed(kind).commandLine?.(resolved[type] ?? {}) ?? null;
}
