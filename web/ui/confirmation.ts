/** One of the programs that a person is asked about. */
export interface ConfirmedProgram {
  readonly commandLine: string;
  /** Names of the variables that stand before the command. */
  readonly variables: readonly string[];
  /** What the text says of the folder; null when it works in the agent's own. */
  readonly folder: string | null;
  /** What it may do, in the words of the text. */
  readonly rights: readonly string[];
}

const FOLDER = /^Works in /;

/** Reads what the server wants confirmed: programs with an empty line between them, each a command line and its rights. */
export function readConfirmation(what: string): ConfirmedProgram[] {
  return what.split('\n\n').map((one) => {
    const [commandLine = '', ...rights] = one.split('\n');
    return {
      commandLine,
      variables: readVariables(commandLine),
      folder: rights.find((right) => FOLDER.test(right))?.replace(FOLDER, '') ?? null,
      rights: rights.filter((right) => !FOLDER.test(right)),
    };
  });
}

/** A value is one word of a shell: quoted, escaped or plain. */
const VARIABLE = /([A-Za-z_][A-Za-z0-9_]*)=(?:\$?'(?:[^'\\]|\\.|'\\'')*'|[^\s']*) /y;

function readVariables(commandLine: string): string[] {
  const names: string[] = [];
  VARIABLE.lastIndex = 0;
  for (let found = VARIABLE.exec(commandLine); found; found = VARIABLE.exec(commandLine)) names.push(found[1]!);
  return names;
}
