import type {
  NewSessionTemplate,
  PatchSessionTemplate,
  SessionTemplate,
  SessionTemplateList,
} from '../contract/templates.ts';
import { ShareClient } from './share-client.ts';

/** What sessions can begin with. */
export class TemplateClient extends ShareClient {
  listSessionTemplates(): Promise<SessionTemplateList> {
    return this.transport.get('/api/session-templates');
  }

  createSessionTemplate(wanted: NewSessionTemplate): Promise<SessionTemplate> {
    return this.transport.post('/api/session-templates', wanted);
  }

  patchSessionTemplate(templateId: string, patch: PatchSessionTemplate): Promise<SessionTemplate> {
    return this.transport.json('PATCH', templatePath(templateId), { body: patch });
  }

  deleteSessionTemplate(templateId: string): Promise<void> {
    return this.transport.delete(templatePath(templateId));
  }
}

function templatePath(templateId: string): string {
  return `/api/session-templates/${encodeURIComponent(templateId)}`;
}
