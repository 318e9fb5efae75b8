import { ACTIONS_ROUTES } from './routes/actions.ts';
import { AGENTS_ROUTES } from './routes/agents.ts';
import { ARTIFACT_FILES_ROUTES } from './routes/artifact-files.ts';
import { ARTIFACTS_ROUTES } from './routes/artifacts.ts';
import { DELEGATION_ROUTES } from './routes/delegation.ts';
import { EVENTS_ROUTES } from './routes/events.ts';
import { FILES_ROUTES } from './routes/files.ts';
import { KNOWLEDGE_ROUTES } from './routes/knowledge.ts';
import { LISTS_ROUTES } from './routes/lists.ts';
import { MEMORY_ROUTES } from './routes/memory.ts';
import { NOTES_ROUTES } from './routes/notes.ts';
import { PANELS_ROUTES } from './routes/panels.ts';
import { PROTOCOLS_ROUTES } from './routes/protocols.ts';
import { PUSH_ROUTES } from './routes/push.ts';
import { SCHEDULES_ROUTES } from './routes/schedules.ts';
import { SERVER_ROUTES } from './routes/server.ts';
import { SESSIONS_ROUTES } from './routes/sessions.ts';
import { SHARES_ROUTES } from './routes/shares.ts';
import { TEAMS_ROUTES } from './routes/teams.ts';
import { TEMPLATES_ROUTES } from './routes/templates.ts';
import { TOOLS_ROUTES } from './routes/tools.ts';
import { TURNS_ROUTES } from './routes/turns.ts';
import { VIEWS_ROUTES } from './routes/views.ts';
import { VOICE_ROUTES } from './routes/voice.ts';
import { WEB_ROUTES } from './routes/web.ts';
import { WEBHOOKS_ROUTES } from './routes/webhooks.ts';

export type { Access, Protocol, Route } from './routes/route.ts';

/**
 * Everything the server answers, by the file that answers it. The router, the OpenAPI document and the access test are
 * made from this table.
 */
export const ROUTES = {
  ...SERVER_ROUTES,
  ...AGENTS_ROUTES,
  ...SESSIONS_ROUTES,
  ...TURNS_ROUTES,
  ...ACTIONS_ROUTES,
  ...DELEGATION_ROUTES,
  ...TOOLS_ROUTES,
  ...EVENTS_ROUTES,
  ...FILES_ROUTES,
  ...SHARES_ROUTES,
  ...TEMPLATES_ROUTES,
  ...TEAMS_ROUTES,
  ...SCHEDULES_ROUTES,
  ...PUSH_ROUTES,
  ...WEBHOOKS_ROUTES,
  ...MEMORY_ROUTES,
  ...PANELS_ROUTES,
  ...ARTIFACTS_ROUTES,
  ...KNOWLEDGE_ROUTES,
  ...LISTS_ROUTES,
  ...NOTES_ROUTES,
  ...VIEWS_ROUTES,
  ...ARTIFACT_FILES_ROUTES,
  ...VOICE_ROUTES,
  ...PROTOCOLS_ROUTES,
  ...WEB_ROUTES,
} as const;

export type RouteName = keyof typeof ROUTES;
