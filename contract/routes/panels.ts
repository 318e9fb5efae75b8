import { z } from 'zod';
import { Id } from '../names.ts';
import { PanelCommandResult, PanelInventory } from '../panels.ts';
import { type Route, session } from './route.ts';

export const PANELS_ROUTES = {
  pushPanels: {
    method: 'PUT',
    path: '/api/sessions/{sessionId}/panels',
    access: 'member',
    summary: 'Say which panels an open page shows beside a session',
    ...session,
    body: PanelInventory,
    status: 204,
  },
  reportPanelCommand: {
    method: 'POST',
    path: '/api/panel-commands/{commandId}/result',
    access: 'member',
    summary: 'Say whether a page carried a command of an agent out',
    params: z.object({ commandId: Id }),
    body: PanelCommandResult,
    status: 204,
  },
} as const satisfies Record<string, Route>;
