import { AppError } from '../contract/errors.ts';
import { confirm } from './confirm.ts';
import { note } from './output.ts';
import { safeText } from './terminal-text.ts';

/** Changes an agent. Asks the person when that starts a program, or lets one do more, and repeats what they have seen. */
export async function withConfirmedProgram<T>(
  change: (confirmed?: string) => Promise<T>,
  yes: boolean | undefined,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const what = error instanceof AppError && error.code === 'command_unconfirmed' ? error.issues?.[0] : undefined;
    if (what === undefined) throw error;
    note(`This runs as you on this machine:\n\n${indented(safeText(what))}\n`);
    await confirm('Allow it?', yes);
    return change(what);
  }
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
