import { Composer } from '../../features/composer/composer.tsx';
import { Beside } from '../../features/panels/dock/beside.tsx';
import { OpenPanelMenu } from '../../features/panels/dock/open-panel-menu.tsx';
import { PANELS } from '../../features/panels/panels.ts';
import { ModelInputHost, Rail } from '../../features/rail/rail.tsx';
import { SessionMenuItems } from '../../features/sidebar/session-menu-items.tsx';
import type { Slots } from '../../state/slots.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';

/** What features show inside a conversation. */
export const SESSION_SLOTS: Partial<Slots> = {
  Composer,
  Rail,
  Beside,
  OpenPanelMenu,
  ModelInput: ModelInputHost,
  SessionMenuItems,
  AgentDraftEditor: lazyPart(
    async () => (await import('../../features/agent-editor/unmade-agent-editor.tsx')).UnmadeAgentEditor,
  ),
  ScratchChat: lazyPart(async () => (await import('../../features/conversation/scratch-chat.tsx')).ScratchChat),
  panels: PANELS,
};
