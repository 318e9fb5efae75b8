import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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
