import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { type StartedProgram, toWord } from '../agents/command-line.ts';
import { kindNamed } from '../agents/kinds.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { matchGlob } from '../tools/glob.ts';
import { type Authority, mayRunCommands } from './views.ts';

/** What decides which programs are started and what they may do. */
export interface Configured {
  readonly home: string;
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
  readonly tools: Authority['tools'] & { readonly files: { readonly workspaces: Readonly<Record<string, string>> } };
}

/**
 * A change over the API may bring about that a program is started which was not started before, or that one may do more,
 * also for agents that only inherit it. It counts once the person has confirmed all of it, word for word; files need no
 * confirmation.
 */
export function refuseUnconfirmedPrograms(before: Configured, after: Configured, confirmed: string | undefined): void {
  const programs = programsOf(after).filter((program) => !isCovered(program, before));
  const what = [...new Set(programs.map(toWords))].join('\n\n');
  if (what === '' || what === confirmed) return;
  throw new AppError('command_unconfirmed', say('command_unconfirmed', { what }), { issues: [what] });
}

/** Whether the agent's program is one that may run here, whatever the agent lets it do. */
export function startsNothingNew(before: Configured, agent: ResolvedAgent): boolean {
  const program = programOf(agent);
  if (program === null || program.isKnown) return true;
  return programsOf(before).some(({ commandLine }) => commandLine === program.commandLine);
}

function isCovered(program: StartedProgram, before: Configured): boolean {
  if (program.isKnown && program.rights.length === 0) return true;
  return programsOf(before).some(
    ({ commandLine, settings, rights }) =>
      commandLine === program.commandLine &&
      isDeepStrictEqual(settings, program.settings) &&
      program.rights.every((right) => rights.includes(right)),
  );
}

function toWords({ commandLine, settings, rights }: StartedProgram): string {
  return [commandLine, ...settings, ...rights].join('\n');
}

function programsOf(configured: Configured): StartedProgram[] {
  return [...configured.agents.values()].flatMap((agent) => {
    const program = programOf(agent);
    if (program) return [{ ...program, rights: [...program.rights, ...rightsOf(agent, configured)] }];
    return runsAnything(agent, configured) ? [UNASKED_COMMANDS] : [];
  });
}

function programOf({ kind, type, resolved }: ResolvedAgent): StartedProgram | null {
  return kindNamed(kind).program?.(resolved[type] ?? {}) ?? null;
}

/** What the definition lets its program do, whatever the program is. */
function rightsOf(agent: ResolvedAgent, configured: Configured): string[] {
  return [placeOf(agent, configured), approvalsOf(agent)].filter((words) => words !== null);
}

/** A folder of its own, which is the default, gives it nothing. */
function placeOf({ agentId, workspace }: ResolvedAgent, { home, tools }: Configured): string | null {
  const { workspaces } = tools.files;
  const folder = workspace?.folder ?? (Object.hasOwn(workspaces, agentId) ? workspaces[agentId] : undefined);
  if (folder === undefined) return null;
  const place = toWord(path.resolve(home, folder));
  return workspace?.per === 'worktree' ? `Works in git worktrees of ${place}` : `Works in ${place}`;
}

/** The rules up to the last that allows something, in order, because the first that matches decides. */
function approvalsOf({ approvals, toolDenylist }: ResolvedAgent): string | null {
  const last = approvals.findLastIndex(([, policy]) => policy === 'allow');
  if (last === -1) return null;
  const blocked = (toolDenylist ?? []).map((pattern) => `blocks ${toWord(pattern)}`);
  const rules = approvals.slice(0, last + 1).map(([pattern, policy]) => RULES[policy](toWord(pattern)));
  return `Approvals: ${[...blocked, ...rules].join(', ')}`;
}

const RULES = {
  allow: (pattern: string) => `allows ${pattern} without asking`,
  ask: (pattern: string) => `asks for ${pattern}`,
  deny: (pattern: string) => `denies ${pattern}`,
} as const;

const UNASKED_COMMANDS: StartedProgram = {
  commandLine: 'bash',
  settings: [],
  rights: ['Approvals: allows every command on this machine without asking'],
  isKnown: false,
};

/** Whether the definition itself lets the agent run commands that no person is asked about. */
function runsAnything(agent: ResolvedAgent, configured: Configured): boolean {
  const own = agent.approvals.find(([pattern]) => matchGlob(pattern, 'bash'))?.[1];
  return own === 'allow' && mayRunCommands(agent, configured);
}
