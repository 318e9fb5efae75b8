import type { ImportProgramSession, ProgramSessionList, ProgramSessionQuery } from '../contract/program-sessions.ts';
import type { ExportedSession, PlainSession, Session } from '../contract/sessions.ts';
import { TemplateClient } from './template-client.ts';

/** Sessions from files, and from other programs on the server's machine. */
export class ImportClient extends TemplateClient {
  importSession(content: ExportedSession | PlainSession, query: { name?: string | undefined } = {}): Promise<Session> {
    return this.transport.json('POST', '/api/imports', { body: content, query });
  }

  listProgramSessions(query: Partial<ProgramSessionQuery> = {}): Promise<ProgramSessionList> {
    return this.transport.get('/api/program-sessions', query);
  }

  importProgramSession(wanted: ImportProgramSession): Promise<Session> {
    return this.transport.post('/api/program-session-imports', wanted);
  }
}
