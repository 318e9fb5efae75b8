import { type ServerType, serve } from '@hono/node-server';
import { AppError } from '../../contract/errors.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Until there are accounts, the one credential is for this machine only. */
export function assertLoopback(host: string): void {
  if (LOOPBACK.has(host)) return;
  throw new AppError(
    'host_not_allowed',
    `Refusing to listen on ${host}: Parley has no user accounts, so it listens on loopback only. ` +
      'Use an SSH tunnel, or run a reverse proxy with its own sign-in on this machine and add its host name to server.allowedHosts.',
  );
}

/** How long a client may take to send its request. Answers, streams among them, are not limited by it. */
const REQUEST_TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 3000 };

export function listen(
  fetch: Parameters<typeof serve>[0]['fetch'],
  hostname: string,
  port: number,
): Promise<ServerType> {
  const { promise, resolve, reject } = Promise.withResolvers<ServerType>();
  const server = serve({ fetch, hostname, port, serverOptions: REQUEST_TIMEOUTS }, () => resolve(server));
  server.once('error', reject);
  return promise;
}

export function portOf(server: ServerType): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
