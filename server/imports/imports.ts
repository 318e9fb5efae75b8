import path from 'node:path';
import { AppError } from '../../contract/errors.ts';
import type {
  ImportProgramSession,
  ProgramSession,
  ProgramSessionQuery,
  SessionProgram,
} from '../../contract/program-sessions.ts';
import type { Attributes, ExportedSession, Session } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import { findStateHolders } from '../sessions/agent-state-store.ts';
import { importSession } from '../sessions/import.ts';
import { toTitle } from '../sessions/views.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { pi } from './pi.ts';
import type { Environment, Glance, Program, ProgramFacts, SessionFile } from './program.ts';
import { readEnds } from './records.ts';
import { SessionDraft } from './session-draft.ts';
import { type FoundFile, filesBelow } from './session-files.ts';

/** Every program whose sessions can be imported. Adding one is a file beside this one, a line here and in the contract. */
const PROGRAMS: Record<SessionProgram, Program> = { claude, codex, pi };

/** Enough for what is written before the first words of the person. */
const GLANCE_BYTES = 128 * 1024;
const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MAX_MESSAGES = 50_000;

export interface ImportDeps {
  readonly log: EventLog;
  readonly env: Environment;
  messageBytes(): number;
  /** The agent that speaks for a program. */
  agentOf(program: SessionProgram): string;
}

/** Sessions of other programs on this machine, newest first. Nothing is written, neither there nor here. */
export async function listProgramSessions(
  deps: ImportDeps,
  owner: string,
  { from, limit }: ProgramSessionQuery,
): Promise<ProgramSession[]> {
  const programs = from ? [PROGRAMS[from]] : Object.values(PROGRAMS);
  const lists = await Promise.all(programs.map((each) => listOf(deps, owner, each, limit)));
  return lists.flat().sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
}

async function listOf(deps: ImportDeps, owner: string, program: Program, limit: number): Promise<ProgramSession[]> {
  const root = program.root(deps.env);
  const files = await sessionFiles(program, root);
  const found: ProgramSession[] = [];
  for (const file of files) {
    if (found.length >= limit) break;
    const glance = await glanceAt(program, path.join(root, file.path));
    if (glance) found.push(toListed(program, file, glance));
  }
  const tokens = new Map(found.map((each) => [each.id, each]));
  const agentId = deps.agentOf(program.program);
  for (const { session_id, token } of await findStateHolders(deps.log.db, owner, agentId)) {
    const session = tokens.get(program.idOf(path.relative(root, token)) ?? token);
    if (session) session.importedAs = session_id;
  }
  return found;
}

function sessionFiles(program: Program, root: string): Promise<FoundFile[]> {
  return filesBelow(root, (file) => program.idOf(file) !== null);
}

/** A file that vanished or cannot be read is not offered. */
async function glanceAt(program: Program, file: string): Promise<Glance | null> {
  const ends = await readEnds(file, GLANCE_BYTES).catch(() => null);
  return ends && program.glance(ends.head, ends.tail);
}

function toListed({ program, idOf }: Program, file: FoundFile, { title, folder }: Glance): ProgramSession {
  const updatedAt = new Date(file.changedAt).toISOString();
  const id = idOf(file.path)!;
  return { program, id, title: toTitle(title ?? '') || id, folder, bytes: file.bytes, updatedAt, importedAs: null };
}

/**
 * A copy as a session of its own. The program's own session is neither changed nor started; it is continued, by the
 * program, when the person sends the next message to its agent.
 */
export async function importProgramSession(
  deps: ImportDeps,
  owner: string,
  wanted: ImportProgramSession,
): Promise<Session> {
  const program = PROGRAMS[wanted.from];
  const file = await findFile(program, deps.env, wanted.id);
  if (!file) throw new AppError('session_not_found', say('session_not_found', { id: wanted.id }));
  if (file.bytes > MAX_FILE_BYTES) throw invalid(`the file is larger than ${MAX_FILE_BYTES} bytes`);
  const agentId = deps.agentOf(wanted.from);
  const exported = await readSession(program, file, agentId, deps.messageBytes());
  const state = { agentId, token: program.stateToken(file) };
  return importSession(deps.log, owner, exported, { limits: { messageBytes: deps.messageBytes() }, state });
}

function invalid(issue: string): AppError {
  return new AppError('import_invalid', say('import_invalid', { issue, more: '' }));
}

async function findFile(program: Program, env: Environment, id: string): Promise<SessionFile | undefined> {
  const root = program.root(env);
  const found = (await sessionFiles(program, root)).find((file) => program.idOf(file.path) === id);
  return (
    found && { ...found, id, path: path.join(root, found.path), other: (otherId) => findFile(program, env, otherId) }
  );
}

async function readSession(program: Program, file: SessionFile, agentId: string, messageBytes: number) {
  const changedAt = new Date(file.changedAt).toISOString();
  const draft = new SessionDraft({ messageBytes, messages: MAX_MESSAGES }, changedAt);
  const facts = await program.read(file, draft);
  if (draft.isFull) throw invalid(`the session has more than ${MAX_MESSAGES} steps`);
  const said = draft.finish(agentId, draft.last);
  if (said.messages.length === 0) throw invalid('nothing was said in the session');
  return toExported(program.program, file.id, agentId, facts, said);
}

function toExported(
  program: SessionProgram,
  id: string,
  agentId: string,
  facts: ProgramFacts,
  said: Pick<ExportedSession, 'messages' | 'compactions'>,
): ExportedSession {
  const opening = said.messages.find(({ role, onPath }) => role === 'user' && onPath)?.text ?? '';
  return {
    format: 'parley.session',
    version: 1,
    exportedAt: new Date().toISOString(),
    session: {
      name: null,
      title: toTitle(facts.title ?? opening) || null,
      agentId,
      sender: 'user',
      type: 'conversation',
      folder: null,
      mode: 'full',
      team: null,
      attributes: { imported: importedAttribute(program, id, facts) },
      createdAt: said.messages[0]!.createdAt,
    },
    ...said,
  };
}

/** Where the session comes from, and what it had used there. */
function importedAttribute(program: SessionProgram, id: string, { folder, usage }: ProgramFacts): Attributes {
  return { from: program, id, folder, usage: usage && { ...usage } };
}
