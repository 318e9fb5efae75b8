import { Hono } from 'hono';
import type { Logger } from 'pino';
import { ROUTES } from '../../contract/routes.ts';
import { failureAt, mountProtocols, type ProtocolWork } from '../protocols/protocols.ts';
import { turnOfCallback } from '../turns/callbacks.ts';
import { LOCAL_OWNER } from './credentials.ts';
import { type App, type Env, Router } from './mount.ts';
import type { HostCheck } from './origin.ts';
import { guardRequests } from './requests.ts';
import type { RouteDeps } from './route-deps.ts';
import { actionRoutes } from './routes/actions.ts';
import { agentRoutes } from './routes/agents.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { eventRoutes } from './routes/events.ts';
import { fileRoutes, voiceRoutes } from './routes/files.ts';
import { knowledgeRoutes } from './routes/knowledge.ts';
import { memoryRoutes } from './routes/memory.ts';
import { panelRoutes } from './routes/panels.ts';
import { pushRoutes } from './routes/push.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { serverRoutes } from './routes/server.ts';
import { sessionRoutes, templateRoutes } from './routes/sessions.ts';
import { shareRoutes } from './routes/shares.ts';
import { teamRoutes } from './routes/teams.ts';
import { toolRoutes } from './routes/tools.ts';
import { delegationRoutes, turnRoutes } from './routes/turns.ts';
import { everythingElse, webRoutes } from './routes/web.ts';
import { webhookRoutes } from './routes/webhooks.ts';

const MOUNTS = [
  serverRoutes,
  agentRoutes,
  sessionRoutes,
  templateRoutes,
  teamRoutes,
  scheduleRoutes,
  knowledgeRoutes,
  pushRoutes,
  webhookRoutes,
  memoryRoutes,
  turnRoutes,
  fileRoutes,
  shareRoutes,
  voiceRoutes,
  eventRoutes,
  toolRoutes,
  actionRoutes,
  panelRoutes,
  artifactRoutes,
  delegationRoutes,
  webRoutes,
];

/** The whole HTTP side: every route of the contract, each behind the same checks. */
export function buildApp(deps: RouteDeps, hosts: HostCheck, log: Logger): { app: App; protocols: ProtocolWork } {
  const app = new Hono<Env>();
  const { credentials, attempts, metrics } = deps;
  const refusals = new RefusalTally((code, count, requestId) =>
    deps.audit({ owner: LOCAL_OWNER, action: 'refused', object: code, detail: `${count}`, request_id: requestId }),
  );
  guardRequests(app, {
    hosts,
    credentials,
    attempts,
    log,
    metrics,
    turnOf: (authorization, path) => turnOf(deps, authorization, path),
    onRefusal: (code, id) => refusals.note(code, id),
    failureAt,
  });
  const router = new Router(app, () => deps.configuration.current.limits);
  for (const mount of MOUNTS) mount(router, deps);
  const protocols = mountProtocols(app, deps);
  everythingElse(router, deps);
  return { app, protocols };
}

/** The token that an external agent was given for a turn is good for telling about that turn, and for nothing else. */
async function turnOf({ turns }: RouteDeps, authorization: string | undefined, path: string) {
  const turnId = CALLBACK_PATH.exec(path)?.[1];
  if (turnId !== undefined) {
    const callback = /^Bearer (parley-callback-.+)$/i.exec(authorization ?? '')?.[1];
    return callback === undefined ? undefined : turnOfCallback(turns.deps, turnId, callback.trim());
  }
  const token = /^Bearer (parley-turn-.+)$/i.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : turns.deps.tokens.require(token.trim());
}

const CALLBACK_PATH = new RegExp(`^${ROUTES.externalCallback.path.replace('{turnId}', '([^/]+)')}$`);

const WINDOW_MS = 60_000;

/** Writes a refusal down at once, and its repetitions as one number a minute: a flood must not fill the disk. */
class RefusalTally {
  readonly #write: (code: string, count: number, requestId: string) => Promise<void>;
  readonly #repeated = new Map<string, { count: number; requestId: string }>();

  constructor(write: (code: string, count: number, requestId: string) => Promise<void>) {
    this.#write = write;
  }

  note(code: string, requestId: string): void {
    const repeated = this.#repeated.get(code);
    if (repeated) {
      repeated.count += 1;
      repeated.requestId = requestId;
      return;
    }
    this.#repeated.set(code, { count: 0, requestId });
    setTimeout(() => this.#close(code), WINDOW_MS).unref();
    this.#record(code, 1, requestId);
  }

  #close(code: string): void {
    const repeated = this.#repeated.get(code);
    this.#repeated.delete(code);
    if (repeated && repeated.count > 0) this.#record(code, repeated.count, repeated.requestId);
  }

  #record(code: string, count: number, requestId: string): void {
    // The refusal stands whether or not it could be written down.
    this.#write(code, count, requestId).catch(() => {});
  }
}
