import { ROUTES, type Route } from '../../../contract/routes.ts';

/** What programs ask for. Whatever begins like it, in whatever way it is written, is never a page. */
const PROGRAMS = new RegExp(`^/(?:${firstSegments().join('|').replaceAll('.', '\\.')})`, 'i');
const PLAIN = /^\/(?:[^/\\\0]+\/)*[^/\\\0]*$/;
/** `/favicon.ico` is a file, there or not; `/agents/wisp/v1.2` is a page. */
const FILE = /^\/(?:assets\/|(?!index\.html$)[^/]*\.)/;

/** Whether a path belongs to the web app, which needs no credential: it holds no data. */
export function isWebPath(path: string): boolean {
  return PLAIN.test(path) && !PROGRAMS.test(path);
}

/** Whether the web app shows a page there; it knows itself which ones it has. */
export function isPagePath(path: string): boolean {
  return isWebPath(path) && !FILE.test(path);
}

function firstSegments(): string[] {
  const routes = Object.values<Route>(ROUTES).filter(({ web }) => !web);
  return [...new Set(routes.map(({ path }) => path.split('/')[1]!))];
}
