import { z } from 'zod';
import { AgentId, Id, Timestamp } from './names.ts';

/** Programs whose own sessions can be imported. */
export const SessionProgram = z.enum(['claude', 'codex', 'pi']);
export type SessionProgram = z.infer<typeof SessionProgram>;

/** A session that a program keeps in files of its own. */
export const ProgramSession = z.object({
  program: SessionProgram,
  id: z.string().describe("The program's own id of the session"),
  title: z.string(),
  folder: z.string().nullable().describe('The folder in which the program worked'),
  bytes: z.int().describe('The size of its file'),
  updatedAt: Timestamp,
  importedAs: Id.nullable().describe('The session that continues it here; null if there is none'),
});
export type ProgramSession = z.infer<typeof ProgramSession>;

export const ProgramSessionQuery = z.strictObject({
  from: SessionProgram.optional().describe('Default: all programs'),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('How many of each program'),
});
export type ProgramSessionQuery = z.output<typeof ProgramSessionQuery>;

/** The agent that speaks for a program in imported sessions. */
export const ProgramAgent = z.object({
  program: SessionProgram,
  agentId: AgentId,
  configured: z.boolean().describe('false: it has to be added before its sessions can be continued'),
});
export type ProgramAgent = z.infer<typeof ProgramAgent>;

export const ProgramSessionList = z.object({
  sessions: z.array(ProgramSession).describe('Newest first'),
  agents: z.array(ProgramAgent),
});
export type ProgramSessionList = z.infer<typeof ProgramSessionList>;

export const ImportProgramSession = z.strictObject({
  from: SessionProgram,
  id: z.string().min(1).max(200).describe("The program's own id of the session"),
});
export type ImportProgramSession = z.infer<typeof ImportProgramSession>;
