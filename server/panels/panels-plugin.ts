import { z } from 'zod';
import { Id } from '../../contract/names.ts';
import { type PanelCommand, type PanelInventory, type PanelState, PanelType } from '../../contract/panels.ts';
import { defineTool } from '../tools/define-tool.ts';
import { commandOf, type Plugin } from '../tools/plugin.ts';
import { skillPathOf } from '../tools/skills.ts';
import { type Tool, type ToolContext, ToolFailure } from '../tools/tool.ts';
import type { CommandOutcome, Panels } from './panels.ts';

/** What the person has open beside the conversation of the turn. */
export function panelsPlugin(panels: Panels): Plugin {
  return {
    id: 'panels',
    description: 'See and change which panels are open beside the conversation.',
    tools: [panelsList(panels), panelsSelected(panels), panelsOpen(panels), panelsClose(panels), panelsSelect(panels)],
    skillPath: skillPathOf('panels'),
    command: commandOf('panels'),
  };
}

const source = { kind: 'built-in', id: 'panels' } as const;
const includeContext = z
  .boolean()
  .default(false)
  .describe('Also what is open in the panels and the ids of the selected items');
const PanelId = Id.describe('A panelId from panels_list');

function panelsList(panels: Panels): Tool {
  return defineTool(
    {
      name: 'panels_list',
      description: 'List the panels the user has open beside this conversation.',
      input: z.strictObject({ includeContext }),
      capabilities: ['panels.read'],
      risk: 'read',
      source,
      operation: 'list',
    },
    async ({ includeContext }, context) => {
      const pages = pagesOf(panels, context);
      if (pages.length === 0) return NOBODY;
      const open = pages.flatMap((page) => page.panels.map((panel) => describe(page, panel, includeContext)));
      return JSON.stringify({ panels: open, isVisible: pages[0]!.isVisible });
    },
  );
}

function panelsSelected(panels: Panels): Tool {
  return defineTool(
    {
      name: 'panels_selected',
      description: 'Get the panel that the user works in, of those open beside this conversation.',
      input: z.strictObject({ includeContext }),
      capabilities: ['panels.read'],
      risk: 'read',
      source,
      operation: 'selected',
    },
    async ({ includeContext }, context) => {
      const [page] = pagesOf(panels, context);
      if (!page) return NOBODY;
      const panel = page.panels.find(({ panelId }) => panelId === page.selectedPanelId);
      if (!panel) return 'No panel is selected.';
      return JSON.stringify({ ...describe(page, panel, includeContext), isVisible: page.isVisible });
    },
  );
}

function panelsOpen(panels: Panels): Tool {
  const input = z.strictObject({
    type: PanelType.describe('The kind of panel'),
    id: Id.optional().describe('The list, note, view or file to open in it'),
  });
  return defineTool(
    {
      name: 'panels_open',
      description: 'Open a panel beside this conversation, on the page the user is looking at.',
      input,
      capabilities: ['panels.write'],
      risk: 'write',
      source,
      operation: 'open',
    },
    async ({ type, id }, context) => {
      const panelId = await carryOut(panels, context, { do: 'open', panelType: type, artifactId: id ?? null });
      return panelId === null ? 'Opened.' : `Opened as panel ${panelId}.`;
    },
  );
}

function panelsClose(panels: Panels): Tool {
  return defineTool(
    {
      name: 'panels_close',
      description: 'Close a panel that is open beside this conversation.',
      input: z.strictObject({ panelId: PanelId }),
      capabilities: ['panels.write'],
      risk: 'write',
      source,
      operation: 'close',
    },
    async ({ panelId }, context) => {
      await carryOut(panels, context, { do: 'close', panelId });
      return `Closed panel ${panelId}.`;
    },
  );
}

function panelsSelect(panels: Panels): Tool {
  const input = z.strictObject({
    panelId: PanelId,
    items: z.array(Id).max(500).optional().describe('Ids of the items to select in it; omitted: as they are'),
  });
  return defineTool(
    {
      name: 'panels_select',
      description: 'Bring a panel to the front and, with items, select items in it.',
      input,
      capabilities: ['panels.write'],
      risk: 'write',
      source,
      operation: 'select',
    },
    async ({ panelId, items }, context) => {
      await carryOut(panels, context, { do: 'select', panelId, selection: items ?? null });
      return items ? `Selected panel ${panelId} with ${items.length} items.` : `Selected panel ${panelId}.`;
    },
  );
}

const NOBODY = 'No page shows this session, so no panel is open.';

function pagesOf(panels: Panels, context: ToolContext): readonly PanelInventory[] {
  return panels.of(context.owner, sessionOf(context));
}

/** Panels are beside a conversation; a person who calls a tool is in none. */
function sessionOf({ sessionId }: ToolContext): string {
  if (sessionId !== null) return sessionId;
  throw new ToolFailure('Only an agent that is running a turn has panels beside its conversation.', 'no_turn');
}

function describe(page: PanelInventory, { panelId, panelType, title, ...shown }: PanelState, includeContext: boolean) {
  const facts = { panelId, panelType, title, isSelected: panelId === page.selectedPanelId };
  if (!includeContext) return facts;
  const { item, view, selection } = shown;
  return { ...facts, ...(item && { item }), ...(view && { view }), selection };
}

async function carryOut(panels: Panels, context: ToolContext, command: PanelCommand['command']) {
  const outcome = await panels.command(context.owner, sessionOf(context), command, context.signal);
  if (outcome.state === 'done') return outcome.panelId;
  throw new ToolFailure(WORDS[outcome.state], `panel_${outcome.state}`);
}

const WORDS = {
  nobody: 'No page shows this session, so there is nobody to show a panel to. Tell the user in your answer instead.',
  hidden: 'The user has this session open but does not see the page now. Tell the user in your answer instead.',
  no_panel: 'No such panel is open. Use panels_list to see the open panels.',
  refused: 'The page could not do that: there is no such panel, list, note, view or file.',
  unanswered: 'The page did not answer in time, so it is not known whether it did that. Use panels_list to look.',
} as const satisfies Record<Exclude<CommandOutcome['state'], 'done'>, string>;
