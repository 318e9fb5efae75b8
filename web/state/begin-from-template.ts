import type { SessionTemplate } from '../../contract/templates.ts';
import type { Live } from '../live/live.ts';
import type { Navigate } from './new-session.ts';

/** What it takes is loaded with the first of them: a page that only shows a menu has no need of the composer. */
export async function beginFromTemplate(live: Live, navigate: Navigate, template: SessionTemplate): Promise<void> {
  const { beginFrom } = await import('./begin-from.ts');
  await beginFrom(live, navigate, template);
}
