import { z } from 'zod';
import { Id } from './names.ts';

export * from './panel-times.ts';

export const PanelType = z.enum(['list', 'note', 'view', 'file', 'changes', 'builder', 'preview']);
export type PanelType = z.infer<typeof PanelType>;

/** What a panel shows, as agents are told of it. */
export const PanelState = z.strictObject({
  panelId: Id,
  panelType: PanelType,
  title: z.string().max(200),
  item: z
    .strictObject({ type: z.string().max(20), id: Id, name: z.string().max(200) })
    .nullable()
    .describe('The artifact that is open in it'),
  view: z
    .strictObject({ name: z.string().max(200), query: z.string().max(4000) })
    .nullable()
    .describe('Instead of an item, when the panel shows a view'),
  selection: z.array(Id).max(500).describe('Ids of the selected items'),
});
export type PanelState = z.infer<typeof PanelState>;

/**
 * What one open page shows of one session. Pushed whenever it changes, after every reconnection of the stream, and every
 * `PUSH_PANELS_EVERY_MS`; forgotten after `PANELS_KEPT_MS`, and soon after the person's last stream that follows the
 * session ends. A page that leaves a session pushes an inventory without panels that is not visible.
 */
export const PanelInventory = z.strictObject({
  clientId: Id.describe('One for each open page, made by it'),
  panels: z.array(PanelState).max(20),
  selectedPanelId: Id.nullable(),
  isVisible: z.boolean().describe('Whether the person can see the page'),
});
export type PanelInventory = z.infer<typeof PanelInventory>;

/** Live only: an agent asks a page that shows a session to open, close or select a panel. Other pages ignore it. */
export const PanelCommand = z.object({
  type: z.literal('panel.command'),
  sessionId: Id,
  clientId: Id.describe('The page that is asked'),
  commandId: Id,
  command: z.discriminatedUnion('do', [
    z.object({ do: z.literal('open'), panelType: PanelType, artifactId: Id.nullable() }),
    z.object({ do: z.literal('close'), panelId: Id }),
    z.object({ do: z.literal('select'), panelId: Id, selection: z.array(Id).nullable() }),
  ]),
});
export type PanelCommand = z.infer<typeof PanelCommand>;

/** What the page made of a command, within `PANEL_COMMAND_MS`; after that the agent is told that the page did not answer. */
export const PanelCommandResult = z.strictObject({
  clientId: Id,
  done: z.boolean(),
  panelId: Id.nullable().describe('The panel that was opened, closed or selected'),
});
export type PanelCommandResult = z.infer<typeof PanelCommandResult>;
