import path from 'node:path';
import type { Command } from 'commander';
import type { ParleyClient } from '../client/parley-client.ts';
import type { Session, SessionWorkspace } from '../contract/sessions.ts';
import { CommandFailure, EXIT_USAGE } from './failure.ts';

export interface WorkspaceOption {
  workspace?: string;
  worktree?: boolean;
}

export function addWorkspaceOption(command: Command): Command {
  return command
    .option('--workspace <folder>', 'the folder in which the agents of this session work')
    .option('--worktree', 'with --workspace: work in a git worktree of it that belongs to the session');
}

/** A folder is relative to where the command is called, as everywhere in a terminal. */
export function workspaceIn({ workspace, worktree = false }: WorkspaceOption): { workspace?: SessionWorkspace } {
  if (workspace !== undefined) return { workspace: { folder: path.resolve(workspace), worktree } };
  if (worktree) throw new CommandFailure('--worktree needs a folder.', EXIT_USAGE);
  return {};
}

/** Nothing changes for a session when no folder is named. */
export async function chooseWorkspace(
  client: ParleyClient,
  session: Session,
  option: WorkspaceOption,
): Promise<Session> {
  const chosen = workspaceIn(option);
  if (!chosen.workspace) return session;
  return client.call('patchSession', { sessionId: session.id, body: chosen });
}
