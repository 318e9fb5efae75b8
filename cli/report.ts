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
  if (code === 'unauthorized' && process.env.PARLEY_TURN_TOKEN) return [OF_A_TURN];
  const more = issues.filter((issue) => !message.includes(issue)).map((issue) => `  ${issue}`);
  const hint = HINTS[code];
  return [`Error: ${message}`, ...more, ...(hint ? [hint] : [])];
}

const OF_A_TURN =
  "Error: Agents can't run this command. Commands run by an agent can only use its tools: parley tool --help";

const HINTS: Partial<Record<ErrorCode, string>> = {
  session_not_found: 'For a list: parley sessions',
  session_template_not_found: 'For a list: parley templates',
  team_not_found: 'For a list: parley teams',
  schedule_not_found: 'For a list: parley schedules',
  action_not_found: 'For a list: parley actions',
  tool_not_found: 'For a list: parley tools',
  turn_token_invalid: 'The turn that PARLEY_TURN_TOKEN belongs to has ended.',
  unauthorized: 'If the server was started with PARLEY_TOKEN, set the same value here.',
  configuration_invalid: 'Correct this, then check it with: parley config check',
};
