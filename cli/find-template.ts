import type { ParleyClient } from '../client/parley-client.ts';
import { AppError } from '../contract/errors.ts';
import type { SessionTemplate } from '../contract/templates.ts';

/** A template by its name, however it is capitalised, or by its id. */
export async function requireTemplate(client: ParleyClient, nameOrId: string): Promise<SessionTemplate> {
  const { templates } = await client.call('listSessionTemplates');
  const found = findTemplate(templates, nameOrId);
  if (found) return found;
  throw new AppError('session_template_not_found', `No template has the name or ID "${nameOrId}".`);
}

function findTemplate(templates: readonly SessionTemplate[], wanted: string): SessionTemplate | undefined {
  const exact = templates.find(({ id, name }) => name === wanted || id === wanted);
  const alike = templates.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  return exact ?? (alike.length === 1 ? alike[0] : undefined);
}
