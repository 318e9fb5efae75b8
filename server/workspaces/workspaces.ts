import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentWorkspace } from '../../contract/agents.ts';
import type { ToolSettings } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { ID_PATTERN } from '../../contract/names.ts';
import type { SessionWorkspace } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import { GitError } from './git.ts';
import { WORKSPACES, workspaceProblem } from './overlap.ts';
import { addWorktree, removeWorktree } from './worktrees.ts';

export interface WorkspaceDeps {
  /** The data folder. */
  readonly home: string;
  readonly settings: () => Pick<ToolSettings, 'files'>;
  /** What the definition of an agent says. */
  ofAgent(agentId: string): AgentWorkspace | null;
  /** What the person has chosen for a session, or for the session that this one works for. */
  ofSession(sessionId: string): Promise<{ sessionId: string; workspace: SessionWorkspace } | null>;
}

/** Who works, and where; null for a person, and outside of any session. */
export interface Working {
  readonly agentId: string | null;
  readonly sessionId: string | null;
}

/** No agent can be called this: ids have no "+", and the "/" of an id becomes one. */
const OF_PEOPLE = '_people';
const OF_SESSIONS = '+sessions';
const WORKTREES = '+worktrees';

/** The folders that agents work in. */
export class Workspaces {
  readonly #deps: WorkspaceDeps;

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
  }

  /**
   * The folder, with every link resolved: the one that the person chose for the session, else the one of the agent's
   * definition or of `tools.files.workspaces`, else one of its own, which is made when it is first needed.
   */
  async folderOf({ agentId, sessionId }: Working): Promise<string> {
    const chosen = sessionId === null ? null : await this.#deps.ofSession(sessionId);
    if (chosen) return this.#open(chosen.workspace.folder, chosen.workspace.worktree, chosen.sessionId);
    const wanted = agentId === null ? null : this.#deps.ofAgent(agentId);
    const folder = wanted?.folder ?? this.#configured(agentId);
    if (folder !== undefined) return this.#open(folder, wanted?.per === 'worktree', sessionId);
    if (wanted?.per === 'session' && sessionId !== null) return made(this.#ofSession(sessionId));
    return made(defaultWorkspace(this.#deps.home, agentId));
  }

  /** Refuses a folder that the person cannot choose for a session. */
  async check(folder: string): Promise<void> {
    if (!path.isAbsolute(folder))
      throw new AppError('workspace_refused', say('workspace_refused.relative', { folder }));
    await existing(this.#deps.home, folder);
  }

  /** Deletes the folders of a deleted session. A worktree with changes that are in no commit stays. */
  async forget(sessionId: string): Promise<void> {
    await rm(this.#ofSession(sessionId), { recursive: true, force: true });
    await removeWorktree(this.#worktreeOf(sessionId), sessionId).catch(ignoreGitErrors);
  }

  #configured(agentId: string | null): string | undefined {
    const { workspaces } = this.#deps.settings().files;
    return agentId !== null && Object.hasOwn(workspaces, agentId) ? workspaces[agentId] : undefined;
  }

  async #open(folder: string, asWorktree: boolean, sessionId: string | null): Promise<string> {
    const real = await existing(this.#deps.home, path.resolve(this.#deps.home, folder));
    if (!asWorktree || sessionId === null) return real;
    return addWorktree(real, this.#worktreeOf(sessionId), sessionId);
  }

  #ofSession(sessionId: string): string {
    return path.join(this.#deps.home, WORKSPACES, OF_SESSIONS, folderName(sessionId));
  }

  #worktreeOf(sessionId: string): string {
    return path.join(this.#deps.home, WORKSPACES, WORKTREES, folderName(sessionId));
  }
}

/** A session id that is no plain name would lead out of the folder of workspaces, up to the data folder itself. */
function folderName(sessionId: string): string {
  if (!ID_PATTERN.test(sessionId))
    throw new AppError('workspace_refused', say('workspace_refused.missing', { folder: sessionId }));
  return sessionId;
}

/** Where an agent's files are when no setting says otherwise. */
export function defaultWorkspace(home: string, agentId: string | null): string {
  return path.join(home, WORKSPACES, safeName(agentId));
}

/** Ids have no "+", so that no two of them share a folder. */
function safeName(agentId: string | null): string {
  return agentId === null ? OF_PEOPLE : agentId.replaceAll('/', '+');
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return realpath(folder);
}

/** Looked at every time: a link in the path may lead elsewhere by now. */
async function existing(home: string, folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new AppError('workspace_refused', say('workspace_refused.missing', { folder }));
  const real = await realpath(folder);
  const problem = workspaceProblem(home, real);
  if (problem) throw new AppError('workspace_refused', say('workspace_refused', { folder, problem }));
  return real;
}

/** Git refuses to delete what would be lost. */
function ignoreGitErrors(error: unknown): void {
  if (!(error instanceof GitError)) throw error;
}
