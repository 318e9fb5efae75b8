/** What a command has to say when it does not succeed. The message is for the person; the code is for scripts. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

export const EXIT_USAGE = 2;
/** The turn waits for a person, and there is no terminal to ask in. */
export const EXIT_WAITING = 3;
/** The answer ends before the agent was done. */
export const EXIT_CUT = 4;
export const EXIT_INTERRUPTED = 130;
