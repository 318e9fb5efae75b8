interface TerminalText {
  readonly output: string;
  /** Null while the command runs, and where it did not say how it ended. */
  readonly ending: { readonly words: string; readonly isGood: boolean } | null;
}

/** Colours and cursor movements, which mean nothing outside a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const ESCAPE_SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;
const ENDING = /(?:^|\n)\[((?:exit code|killed by|stopped after) [^\]\n]{1,40})\]\s*$/;

/** Takes the last line of a background command apart: `[exit code 0]`, `[killed by SIGKILL]`, `[stopped after 60 s]`. */
export function readOutput(text: string): TerminalText {
  const plain = text.replaceAll(ESCAPE_SEQUENCES, '').replaceAll(/\r+\n/g, '\n');
  const tail = ENDING.exec(plain.slice(-80));
  if (!tail) return { output: plain, ending: null };
  const output = plain.slice(0, plain.length - tail[0].length).trimEnd();
  return { output, ending: { words: tail[1]!, isGood: tail[1] === 'exit code 0' } };
}
