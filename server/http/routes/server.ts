import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import { publicOrigin } from '../../../contract/config.ts';
import { AppError } from '../../../contract/errors.ts';
import { LOCAL_OWNER } from '../credentials.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { selectAudit } from '../store.ts';

type ServerDeps = Pick<
  RouteDeps,
  'attempts' | 'audit' | 'configuration' | 'credentials' | 'log' | 'metrics' | 'signInLink' | 'version'
>;

export function serverRoutes(router: Router, deps: ServerDeps): void {
  const { version, credentials, configuration, metrics } = deps;
  router.on('health', () => ({ status: 'ok' as const }));
  router.on('proveServer', ({ c, body }) => ({
    proof: credentials.prove(c.env.incoming.headers.host ?? '', body.nonce),
  }));
  router.on('openapi', async () => {
    // Asked for rarely: its making is not part of every start.
    const { openApiDocument } = await import('../../../contract/openapi.ts');
    return openApiDocument(version, publicOrigin(configuration.current.server)) as z.infer<ReturnType<typeof z.json>>;
  });
  router.on('metrics', ({ c }) =>
    c.text(metrics.write(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  );
  router.on('listAudit', ({ owner, query }) => selectAudit(deps.log.db, owner, query.limit));
  signInRoutes(router, deps);
}

function signInRoutes(router: Router, deps: ServerDeps): void {
  const { signIns } = deps.credentials;
  const end = async (c: Ctx, id: string) => {
    await signIns.end(c.get('owner'), id, c.env.outgoing as ServerResponse);
    await note(deps, c, 'sign-in.ended', id);
  };
  router.on('createSignInLink', () => deps.signInLink());
  router.on('signIn', async ({ c, body }) => {
    const { setCookie, ...signedIn } = await signIn(deps, c, body.code);
    c.header('Set-Cookie', setCookie);
    await note(deps, c, 'sign-in', signedIn.id);
    return signedIn;
  });
  router.on('listSignIns', ({ c, owner }) => signIns.list(owner, c.get('signInId')));
  router.on('signOut', async ({ c }) => {
    const id = c.get('signInId');
    if (id !== null) await end(c, id);
    c.header('Set-Cookie', signIns.forgetCookie);
    return undefined;
  });
  router.on('endSignIn', async ({ c, params }) => {
    await end(c, params.signInId);
    return undefined;
  });
}

async function signIn({ credentials, attempts }: ServerDeps, c: Ctx, code: string) {
  const { headers, socket } = c.env.incoming;
  try {
    return await credentials.signIns.begin(LOCAL_OWNER, code, headers['user-agent']);
  } catch (error) {
    throw error instanceof AppError ? attempts.failed(socket.remoteAddress, error) : error;
  }
}

function note({ audit }: ServerDeps, c: Ctx, action: string, object: string): Promise<void> {
  return audit({ owner: LOCAL_OWNER, action, object, detail: null, request_id: c.get('requestId') });
}
