import { Hono } from 'hono';
import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import { ROUTES } from '../../contract/routes.ts';
import { type App, type Env, Router, toPattern } from './mount.ts';
import type { HostCheck } from './origin.ts';
import { guardRequests } from './requests.ts';
import { agentRoutes } from './routes/agents.ts';
import { eventRoutes } from './routes/events.ts';
import { serverRoutes } from './routes/server.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { turnRoutes } from './routes/turns.ts';
import type { World } from './world.ts';

/** The whole HTTP side: every route of the contract, each behind the same checks. */
export function buildApp(world: World, hosts: HostCheck, log: Logger): App {
  const app = new Hono<Env>();
  const { credentials, metrics } = world;
  const onRefusal = (code: string, requestId: string) =>
    void world
      .audit({ owner: 'owner', action: 'refused', object: null, detail: code, request_id: requestId })
      .catch(() => {});
  guardRequests(app, { hosts, credentials, log, metrics, onRefusal });
  const router = new Router(app, () => world.configuration.current.limits);
  for (const mount of [serverRoutes, agentRoutes, sessionRoutes, turnRoutes, eventRoutes]) mount(router, world);
  refuseOtherMethods(app);
  return app;
}

/** A known path with a wrong verb says so instead of pretending not to exist. */
function refuseOtherMethods(app: App): void {
  for (const path of new Set(Object.values(ROUTES).map((route) => route.path))) {
    app.all(toPattern(path), () => {
      throw new AppError(
        'method_not_allowed',
        'This path does not take that method. /api/openapi.json lists what it takes.',
      );
    });
  }
}
