import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { SessionState } from '../../client/session-state.ts';
import type { PanelType } from '../../contract/panels.ts';
import type { Session } from '../../contract/sessions.ts';

/** A kind of panel that can be open beside a conversation. One folder and one line in `features/panels/panels.ts`. */
export interface Panel {
  readonly type: PanelType;
  readonly icon: LucideIcon;
  /** Which sessions have this panel. */
  isOffered(session: Session): boolean;
  /** It opens by itself, once, when there is something to show. Asked with every token. */
  opensItself?(state: SessionState): boolean;
  /** It shows only what is chosen elsewhere: the menu does not offer it. */
  readonly isOpenedElsewhere?: boolean;
  readonly Component: ComponentType<PanelProps>;
  /** What goes along at the end of the person's next message; null when nothing does. */
  beforeSend?(sessionId: string): string | null;
}

export interface PanelProps {
  readonly sessionId: string;
  readonly panelId: string;
  /** What is open in it; null: nothing was chosen yet. */
  readonly artifactId: string | null;
}
