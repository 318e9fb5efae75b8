import { type Access, ROUTES, type Route } from '../../contract/routes.ts';
import { pathPattern } from './known-paths.ts';
import { isWebPath } from './web/web-path.ts';

export interface Entrance {
  access: Access;
  /** A link from any other site may lead to it. Nothing under /api is a page. */
  isPage: boolean;
}

const CLOSED: Entrance = { access: 'member', isPage: false };
const WEB: Entrance = { access: 'open', isPage: true };

const LENIENT = Object.values<Route>(ROUTES).filter(({ access, web }) => access !== 'member' && !web);
const PLAIN = new Map(LENIENT.filter(isPlain).map((route) => [`${route.method} ${route.path}`, entranceOf(route)]));
const PATTERNS = LENIENT.filter((route) => !isPlain(route)).map((route) => ({
  begin: `${route.method} ${route.path.slice(0, route.path.indexOf('{'))}`,
  entrance: entranceOf(route),
  pattern: patternOf(route),
}));

/** MCP clients also ask for a stream (GET) where there is none: they have to hear that, not that their token is wrong. */
const OF_TURNS = new Set(LENIENT.filter(isPlain).flatMap(({ path }) => (isOnlyForTurns(path) ? [path] : [])));
const TURN: Entrance = { access: 'turn', isPage: false };

function isOnlyForTurns(path: string): boolean {
  return Object.values<Route>(ROUTES).every((route) => route.path !== path || route.access === 'turn');
}

/** What it takes to ask for a path. Whatever the table does not open is closed, also what is not there at all. */
export function entranceTo(method: string, path: string): Entrance {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const asked = `${wanted} ${path}`;
  const known = PLAIN.get(asked);
  if (known) return known;
  const matching = PATTERNS.find(({ begin, pattern }) => asked.startsWith(begin) && pattern.test(asked));
  if (matching) return matching.entrance;
  if (OF_TURNS.has(path)) return TURN;
  return wanted === 'GET' && isWebPath(path) ? WEB : CLOSED;
}

function isPlain({ path }: Route): boolean {
  return !path.includes('{');
}

function entranceOf({ method, path, access }: Route): Entrance {
  return { access, isPage: access === 'open' && method === 'GET' && !path.startsWith('/api/') };
}

function patternOf({ method, path }: Route): RegExp {
  return new RegExp(`^${method} ${pathPattern(path)}$`);
}
