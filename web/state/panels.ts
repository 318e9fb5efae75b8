import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { SessionState } from '../../client/session-state.ts';
import type { Session } from '../../contract/sessions.ts';
import type { TextKey } from '../i18n/en.ts';

/** Something that a session shows beside its conversation. One folder and one line in `features/panels/panels.ts`. */
export interface Panel {
  readonly id: string;
  readonly title: TextKey;
  readonly icon: LucideIcon;
  /** Which sessions have this panel. */
  isOffered(session: Session): boolean;
  /** Whether there is something to show. Until then the conversation has all the room. Asked with every token. */
  hasContent(state: SessionState): boolean;
  readonly Component: ComponentType<{ sessionId: string }>;
  /** What goes along at the end of the person's next message; null when nothing does. */
  beforeSend?(sessionId: string): string | null;
}
