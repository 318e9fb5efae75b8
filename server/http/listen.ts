import type { Server } from 'node:http';
import type { Socket } from 'node:net';
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

/** A connection is not idle yet while its request may be on its way: a thousand clients may connect at once. */
const GRACE_MS = 5000;

/** Closes the connection that has been idle longest when there are too many without a request. */
export function boundIdleConnections(server: Server, limit: () => number): void {
  // In the order in which they became idle.
  const idle = new Set<Socket>();
  const soonIdle = new Map<Socket, NodeJS.Timeout>();
  const wake = (socket: Socket) => {
    clearTimeout(soonIdle.get(socket));
    soonIdle.delete(socket);
    idle.delete(socket);
  };
  const rest = (socket: Socket) => {
    wake(socket);
    if (!socket.destroyed) soonIdle.set(socket, setTimeout(() => retire(socket), GRACE_MS).unref());
  };
  const retire = (socket: Socket) => {
    soonIdle.delete(socket);
    idle.add(socket);
    if (idle.size > limit()) closeOldest(idle);
  };
  server.on('connection', (socket) => {
    socket.once('close', () => wake(socket));
    rest(socket);
  });
  server.on('request', ({ socket }, response) => {
    wake(socket);
    response.once('close', () => rest(socket));
  });
}

function closeOldest(idle: Set<Socket>): void {
  const [oldest] = idle;
  if (!oldest) return;
  idle.delete(oldest);
  oldest.destroy();
}
