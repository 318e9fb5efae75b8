import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ROUTES, type Route } from '../../contract/routes.ts';
import { type Env, toPattern } from '../../server/http/mount.ts';
import { a2aRoutes } from '../../server/protocols/a2a/routes.ts';
import { openAiRoutes } from '../../server/protocols/openai/routes.ts';
import type { ProtocolDeps } from '../../server/protocols/protocol.ts';

test('no path keeps the router from matching all of them with one regular expression', async () => {
  const app = new Hono<Env>();
  app.use((_, next) => next());
  for (const { method, path, protocol } of Object.values(ROUTES) as Route[])
    if (!protocol) app.on(method, toPattern(path), (c) => c.text(path));
  // Nothing is asked of the protocols here but their paths.
  const unused = {} as ProtocolDeps;
  for (const routes of [a2aRoutes, openAiRoutes]) app.route('/', routes(unused));
  const answer = await app.request('/api/sessions/x');
  expect(await answer.text()).toBe(ROUTES.getSession.path);
  expect(app.router.name).toContain('RegExpRouter');
});
