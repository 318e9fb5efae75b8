import type { SessionState } from '../../client/session-state.ts';
import type { PanelCommand } from '../../contract/panels.ts';
import type { Live } from '../live/live.ts';
import { changeLayout, closePanel, layoutOf, openPanel, raisePanels, selectItems } from './open-panels.ts';
import { CLIENT_ID } from './panel-inventory.ts';
import { findPanel, selectPanel } from './panel-layout.ts';
import type { Panel } from './panels.ts';

type Order = PanelCommand['command'];

/** Carries out what agents ask of this page while it shows the session, and says what became of it. */
export function followCommands(live: Live, sessionId: string, kinds: readonly Panel[]): () => void {
  return live.onPanelCommand((frame) => {
    if (frame.clientId !== CLIENT_ID || frame.sessionId !== sessionId) return;
    void carryOut(live, sessionId, kinds, frame.command)
      .catch(() => null)
      .then((panelId) => {
        const body = { clientId: CLIENT_ID, done: panelId !== null, panelId };
        return live.client.call('reportPanelCommand', { commandId: frame.commandId, body });
      })
      // The agent has waited long enough by then and was told so.
      .catch(() => undefined);
  });
}

/** The panel that it is about; null when it could not be done. */
async function carryOut(
  live: Live,
  sessionId: string,
  kinds: readonly Panel[],
  command: Order,
): Promise<string | null> {
  switch (command.do) {
    case 'open':
      return (await canOpen(live, sessionId, kinds, command))
        ? openPanel(sessionId, command.panelType, { artifactId: command.artifactId })
        : null;
    case 'close':
      if (!findPanel(layoutOf(sessionId), command.panelId)) return null;
      closePanel(sessionId, command.panelId);
      return command.panelId;
    case 'select':
      if (!findPanel(layoutOf(sessionId), command.panelId)) return null;
      changeLayout(sessionId, (layout) => selectPanel(layout, command.panelId));
      if (command.selection) selectItems(command.panelId, command.selection);
      raisePanels(sessionId, true);
      return command.panelId;
    default:
      return command satisfies never;
  }
}

/** A panel of this session, and with a thing in it that exists and is of its kind. */
async function canOpen(
  { client, store }: Live,
  sessionId: string,
  kinds: readonly Panel[],
  { panelType, artifactId }: Extract<Order, { do: 'open' }>,
): Promise<boolean> {
  const session = store.getState().sessions.get(sessionId);
  const kind = kinds.find(({ type }) => type === panelType);
  if (!kind || !session || !kind.isOffered(session)) return false;
  if (artifactId === null) return !kind.isOpenedElsewhere;
  if (panelType === 'changes' || panelType === 'builder' || panelType === 'preview') return false;
  if (panelType === 'file' && hasFile(store.getState().states.get(sessionId), artifactId)) return true;
  const artifact = await client.call('getArtifact', { artifactId });
  return artifact.deletedAt === null && artifact.kind === panelType;
}

function hasFile(state: SessionState | undefined, fileId: string): boolean {
  const messages = [...(state?.messages.values() ?? [])];
  return messages.some(({ parts }) => parts.some((part) => part.type === 'file' && part.fileId === fileId));
}
