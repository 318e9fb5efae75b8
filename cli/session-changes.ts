import type { Command } from 'commander';
import type { ParleyClient } from '../client/parley-client.ts';
import type { Attributes, Session, SessionWorkspace } from '../contract/sessions.ts';
import { confirm } from './confirm.ts';
import { type HomeOption, withClient } from './connect.ts';
import { counted } from './counted.ts';
import { CommandFailure, EXIT_USAGE } from './failure.ts';
import { requireSession } from './find-session.ts';
import { print, printJson } from './output.ts';
import { safeLine } from './terminal-text.ts';
import { chooseWorkspace } from './workspace-option.ts';

/** The subcommands that change one session. */
export function changeSessions(command: Command): void {
  simple(command, 'pin', 'pin a session', 'Pinned', (client, { id }) => client.call('pinSession', { sessionId: id }));
  simple(command, 'unpin', 'unpin a session', 'Unpinned', (client, { id }) =>
    client.call('unpinSession', { sessionId: id }),
  );
  simple(command, 'archive', 'archive a session', 'Archived', (client, { id }) =>
    client.call('archiveSession', { sessionId: id }),
  );
  simple(command, 'unarchive', 'restore an archived session', 'Restored', (client, { id }) =>
    client.call('unarchiveSession', { sessionId: id }),
  );
  sub(command, 'rename <session> <name>', 'rename a session')
    .option('--replace', 'take the name from the session that has it, and delete that session')
    .action(rename);
  sub(command, 'clear <session>', 'delete all messages; keep the name, agent and attributes')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(clear);
  sub(command, 'delete <session>', 'delete a session completely')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
  sub(command, 'fork <session>', 'copy the session so far into a new one')
    .option('-n, --name <name>', 'name of the new session')
    .option('--message <id>', 'the last message to copy')
    .action(fork);
  sub(command, 'mode <session> <mode>', 'full, or read-only: agents can only use read-only tools').action(mode);
  sub(command, 'workspace <session> [folder]', 'show or choose the folder in which its agents work')
    .option('--worktree', 'work in a git worktree of the folder that belongs to the session')
    .option('--clear', "use each agent's own folder")
    .action(workspace);
  sub(command, 'attributes <session> [changes...]', 'show attributes, or set them: name=value; name= deletes').action(
    attributes,
  );
}

function sub(command: Command, name: string, summary: string): Command {
  return command.command(name).description(summary).option('--home <folder>', 'the data folder');
}

function simple(
  command: Command,
  name: string,
  summary: string,
  done: string,
  act: (client: ParleyClient, session: Session) => Promise<Session>,
): void {
  sub(command, `${name} <session>`, summary).action((session: string, options: HomeOption) =>
    change(session, options, async (client, found) => {
      await act(client, found);
      print(`${done} ${quoted(found)}.`);
    }),
  );
}

function change(
  name: string,
  homeOption: HomeOption,
  act: (client: ParleyClient, session: Session) => Promise<void>,
): Promise<void> {
  return withClient(homeOption, async ({ client }) => act(client, await requireSession(client, name)));
}

function quoted({ title }: Session): string {
  return `"${safeLine(title)}"`;
}

function rename(name: string, newName: string, options: HomeOption & { replace?: boolean }): Promise<void> {
  return change(name, options, async (client, session) => {
    const renamed = await client.call('renameSession', {
      sessionId: session.id,
      body: { name: newName, replace: options.replace ?? false },
    });
    print(`Renamed ${quoted(session)} to ${quoted(renamed)}.`);
  });
}

function clear(name: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  return change(name, options, async (client, session) => {
    if (session.messageCount === 0) return print(`${quoted(session)} has no messages.`);
    await confirm(`Delete ${counted(session.messageCount, 'message')} of ${quoted(session)}?`, options.yes);
    await client.call('clearSession', { sessionId: session.id });
    print(`Cleared ${quoted(session)}.`);
  });
}

function remove(name: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  return change(name, options, async (client, session) => {
    const { messageCount } = session;
    const all = messageCount === 0 ? '' : ` and its ${counted(messageCount, 'message')}`;
    await confirm(`Permanently delete ${quoted(session)}${all}?`, options.yes);
    await client.call('deleteSession', { sessionId: session.id });
    print(`Deleted ${quoted(session)}.`);
  });
}

function fork(name: string, options: HomeOption & { name?: string; message?: string }): Promise<void> {
  return change(name, options, async (client, session) => {
    const wanted = {
      ...(options.name && { name: options.name }),
      ...(options.message && { messageId: options.message }),
    };
    const made = await client.call('forkSession', { sessionId: session.id, body: wanted });
    print(`Forked ${quoted(session)} as ${quoted(made)}, ${counted(made.messageCount, 'message')}: ${made.id}`);
  });
}

function mode(name: string, wanted: string, options: HomeOption): Promise<void> {
  if (wanted !== 'full' && wanted !== 'read-only')
    throw new CommandFailure(`Unknown mode ${wanted}. Use full or read-only.`, EXIT_USAGE);
  return change(name, options, async (client, session) => {
    await client.call('patchSession', { sessionId: session.id, body: { mode: wanted } });
    print(wanted === 'full' ? `${quoted(session)} now has full access.` : `${quoted(session)} is now read-only.`);
  });
}

type WorkspaceOptions = HomeOption & { worktree?: boolean; clear?: boolean };

function workspace(name: string, folder: string | undefined, options: WorkspaceOptions): Promise<void> {
  const { worktree, clear } = options;
  return change(name, options, async (client, session) => {
    const wanted = { ...(folder !== undefined && { workspace: folder }), ...(worktree && { worktree }) };
    const chosen = clear
      ? await client.call('patchSession', { sessionId: session.id, body: { workspace: null } })
      : await chooseWorkspace(client, session, wanted);
    print(chosen.workspace ? describeWorkspace(chosen.workspace) : "Each agent's own folder.");
  });
}

function describeWorkspace({ folder, worktree }: SessionWorkspace): string {
  return `${safeLine(folder)}${worktree ? ' (worktree)' : ''}`;
}

function attributes(name: string, changes: string[], options: HomeOption): Promise<void> {
  return change(name, options, async (client, session) => {
    if (changes.length === 0) return printJson(session.attributes);
    const patched = await client.call('patchSession', {
      sessionId: session.id,
      body: { attributes: readChanges(changes) },
    });
    printJson(patched.attributes);
  });
}

/** A value is JSON where it can be read as such, and text where it cannot; an empty one deletes. */
function readChanges(changes: readonly string[]): Attributes {
  return Object.fromEntries(changes.map(readChange));
}

function readChange(change: string): [string, Attributes[string]] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(change) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandFailure(`Can't read ${change}. Write changes as name=value.`, EXIT_USAGE);
  if (value === '') return [name, null];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
