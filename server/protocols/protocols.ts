import type { Problem } from '../../contract/errors.ts';
import type { App } from '../http/mount.ts';
import { toA2aProblem } from './a2a/problems.ts';
import { a2aRoutes } from './a2a/routes.ts';
import { mcpServerRoutes } from './mcp/server.ts';
import { turnToolRoutes } from './mcp/turn-tools.ts';
import { toOpenAiError } from './openai/errors.ts';
import { openAiRoutes } from './openai/routes.ts';
import type { ProtocolRoutes } from './protocol.ts';
import { protocolDeps, type VerbDeps } from './protocol-deps.ts';

/** Every way in besides the routes under /api. Adding one is a folder, a line here and its rows in `contract/routes/protocols.ts`. */
const PROTOCOLS: readonly ProtocolRoutes[] = [
  { routes: turnToolRoutes },
  { routes: a2aRoutes, failures: { under: '/a2a/', write: toA2aProblem } },
  { routes: mcpServerRoutes },
  { routes: openAiRoutes, failures: { under: '/v1/', write: toOpenAiError } },
];

/** What the protocols do besides answering requests. */
export interface ProtocolWork {
  start(): Promise<void>;
  stop(): void;
}

/** After the guard, which has checked host, origin and credential of every request by then. */
export function mountProtocols(app: App, deps: VerbDeps): ProtocolWork {
  const verbs = protocolDeps(deps);
  for (const { routes } of PROTOCOLS) app.route('/', routes(verbs));
  return verbs.pushes;
}

/** A failure in the shape that clients at that path expect; undefined where that is a problem (RFC 9457). */
export function failureAt(path: string, problem: Problem): unknown {
  return PROTOCOLS.find(({ failures }) => failures && path.startsWith(failures.under))?.failures?.write(problem, path);
}
