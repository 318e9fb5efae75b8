import { AppError, type ErrorCode } from '../contract/errors.ts';
import { CommandFailure } from './failure.ts';
import { safeText } from './terminal-text.ts';

/** Says on stderr why a command failed and what can be done, and returns the exit code. */
export function report(error: unknown): number {
  for (const line of describe(error)) process.stderr.write(`${safeText(line)}\n`);
  return error instanceof CommandFailure ? error.exitCode : 1;
}

function describe(error: unknown): string[] {
  if (error instanceof AppError) return describeRefusal(error);
  if (error instanceof CommandFailure) return [`Error: ${error.message}`];
  if (error instanceof Error && KNOWN.has(error.name)) return [`Error: ${error.message}`];
  return [`Error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

/** Errors whose message is written for people. */
const KNOWN = new Set(['ConnectionError', 'FolderInUseError', 'SchemaTooNewError']);

function describeRefusal({ code, message, issues = [] }: AppError): string[] {
  const more = issues.filter((issue) => !message.includes(issue)).map((issue) => `  ${issue}`);
  const hint = code === 'unauthorized' && process.env.PARLEY_TURN_TOKEN ? OF_A_TURN : HINTS[code];
  return [`Error: ${message}`, ...more, ...(hint ? [hint] : [])];
}

const OF_A_TURN = 'PARLEY_TURN_TOKEN is set: what an agent has started may use its tools, and nothing else.';

const HINTS: Partial<Record<ErrorCode, string>> = {
  session_not_found: 'See what there is with: parley sessions',
  session_template_not_found: 'See what there is with: parley templates',
  action_not_found: 'See what waits for you with: parley actions',
  tool_not_found: 'See what there is with: parley tools',
  turn_token_invalid: 'The turn that PARLEY_TURN_TOKEN belongs to is over.',
  unauthorized: 'If the server was started with PARLEY_TOKEN, set the same here.',
  configuration_invalid: 'Mend the files, then look again with: parley config check',
};
