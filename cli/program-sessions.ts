import type { ParleyClient } from '../client/parley-client.ts';
import type { ProgramSession, ProgramSessionList, SessionProgram } from '../contract/program-sessions.ts';
import { findById } from './actions/short-id.ts';
import { ago } from './ago.ts';
import { printImported } from './commands/import.ts';
import { CREATES_FOLDER, type HomeOption, withClient } from './connect.ts';
import { CommandFailure } from './failure.ts';
import { note, print, printJson } from './output.ts';
import { printTable } from './table.ts';
import { safeLine } from './terminal-text.ts';

export interface ProgramImportOptions extends HomeOption {
  from: SessionProgram;
  list?: boolean;
  json?: boolean;
  name?: string;
}

const MOST = 500;

export async function importFromProgram(ids: readonly string[], options: ProgramImportOptions): Promise<void> {
  await withClient(
    options,
    async ({ client }) => {
      const found = await client.call('listProgramSessions', { query: { from: options.from, limit: MOST } });
      if (options.list || ids.length === 0) return list(found, options);
      for (const id of ids) await importOne(client, found.sessions, id, options);
      noteAgent(found, options.from);
    },
    CREATES_FOLDER,
  );
}

function list({ sessions }: ProgramSessionList, { from, json }: ProgramImportOptions): void {
  if (json) return void printJson(sessions);
  if (sessions.length === 0) return void print(`No sessions of ${from} found on this machine.`);
  const columns = [
    { title: 'ID' },
    { title: 'Changed' },
    { title: 'Folder', shrinks: true },
    { title: 'Title', shrinks: true },
  ];
  printTable(columns, sessions.map(toRow));
  note(`\nImport some with: parley import --from ${from} ID…`);
}

function toRow({ id, updatedAt, folder, title, importedAs }: ProgramSession): string[] {
  return [id, ago(updatedAt), folder ?? '', importedAs === null ? title : `${title} (imported)`];
}

async function importOne(
  client: ParleyClient,
  sessions: readonly ProgramSession[],
  given: string,
  { from, name }: ProgramImportOptions,
): Promise<void> {
  const found = findById(sessions, given, 'sessions');
  if (!found)
    throw new CommandFailure(`${from} has no session ${safeLine(given)}. See: parley import --from ${from} --list`);
  const session = await client.call('importProgramSession', { body: { from, id: found.id } });
  if (name === undefined) return printImported(session);
  printImported(await client.call('renameSession', { sessionId: session.id, body: { name } }));
}

function noteAgent({ agents }: ProgramSessionList, from: SessionProgram): void {
  const agent = agents.find(({ program }) => program === from);
  if (agent && !agent.configured)
    note(`To continue, add the agent first: parley agents discover --add ${agent.agentId}`);
}
