import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import type { ChildOptions } from '../../processes/child.ts';
import type { AgentDeps } from '../agent.ts';
import type { Kept } from '../pool.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { type Opening, TextAgentFailure } from '../text-agent.ts';
import { ProgramEnded } from './json-program.ts';
import { PROGRAM_OF, PROGRAMS, programEnvironment } from './programs.ts';
import type { CliSettings } from './settings.ts';

/** The agent, and what it may use of the server. */
export interface CliContext {
  readonly agent: ResolvedAgent<CliSettings>;
  readonly deps: AgentDeps;
}

/** How the agent's program is started, in the workspace of the turn. The variables of Parley are not among its own. */
export async function programOptions(
  { agent, deps }: CliContext,
  { host }: Opening,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ChildOptions> {
  const { program, provider, env } = agent.settings;
  return {
    command: program,
    args: [...args, ...agent.settings.args],
    cwd: await host.workspace(),
    env: programEnvironment(deps.environment, PROGRAM_OF[provider], { ...variables, ...env() }),
    registry: deps.processes,
  };
}

/** A program that is kept between the turns of one conversation. */
export interface KeptProgram extends Kept {
  /** How it was started; a program that was started in another way is not used. */
  readonly variant: string;
  /** The conversation that it holds, as the agent's `state` names it; null until it has one. */
  readonly conversation: string | null;
}

export interface Borrowed<Program extends KeptProgram> {
  readonly program: Program;
  readonly isNew: boolean;
  /** `broken`: it is not used again. */
  giveBack(broken: boolean): Promise<void>;
}

/**
 * The program that holds the conversation already, or a new one. There is one for each session and agent, so that no two
 * programs go on with the same conversation; one that was started in another way, or holds another one, is ended first.
 */
export async function borrow<Program extends KeptProgram>(
  { agent, deps: { pool } }: CliContext,
  { turn, state }: Opening,
  variant: string,
  start: () => Promise<Program>,
): Promise<Borrowed<Program>> {
  const key = `cli ${agent.agentId} ${turn.sessionId}`;
  let isNew = false;
  const startNew = () => {
    isNew = true;
    return start();
  };
  let program = await pool.use(key, startNew);
  if (!isNew && (program.variant !== variant || program.conversation !== state)) {
    await pool.release(key, program, true);
    program = await pool.use(key, startNew);
  }
  return { program, isNew, giveBack: (broken) => pool.release(key, program, broken) };
}

/** How long a program may take until it is ready for a prompt. */
const START_MS = 60_000;

/** What a program has to do before its first prompt. When that fails or the turn is stopped, the program is ended. */
export async function prepare<Program extends KeptProgram>(
  { agent }: CliContext,
  { signal }: Opening,
  { giveBack }: Borrowed<Program>,
  work: Promise<void>,
): Promise<void> {
  const late = AbortSignal.timeout(START_MS);
  try {
    await Promise.race([work, whenAborted(AbortSignal.any([signal, late]))]);
  } catch (error) {
    work.catch(() => undefined);
    await giveBack(true);
    throw late.aborted ? silent(agent, START_MS) : toFailure(agent, error);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A program that has ended, in words for the person. Every other error is itself. */
export function toFailure(agent: CliContext['agent'], error: unknown): unknown {
  if (!(error instanceof ProgramEnded)) return error;
  return programFailure(agent, error.words);
}

/** What a program says of its failure, as the error of the turn. */
export function programFailure({ settings }: CliContext['agent'], detail: string): TextAgentFailure {
  const { title } = PROGRAMS[PROGRAM_OF[settings.provider]];
  return new TextAgentFailure(toTurnError('program_failed', say('program_failed', { title, detail }), true));
}

export function silent({ settings }: CliContext['agent'], ms: number): TextAgentFailure {
  const { title } = PROGRAMS[PROGRAM_OF[settings.provider]];
  const text = say('program_failed.silent', { title, seconds: Math.round(ms / 1000) });
  return new TextAgentFailure(toTurnError('program_failed', text, true));
}
