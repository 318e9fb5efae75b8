import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import { text } from './text.ts';

/** What a session is called. The server has one English title for all that have no name yet. */
export function sessionTitle(title: string | undefined): string {
  return !title || title === UNNAMED_SESSION ? text('sidebar.new') : title;
}
