import { createInterface } from 'node:readline/promises';
import { CommandFailure, EXIT_USAGE } from './failure.ts';

/** Asks before what cannot be undone; without a terminal to ask in, --yes is required. */
export async function confirm(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandFailure(`${question} There is no terminal to confirm in; use --yes.`, EXIT_USAGE);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was changed.');
}
