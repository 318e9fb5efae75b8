import { AppError } from '../../contract/errors.ts';
import { ROUTES, type Route } from '../../contract/routes.ts';
import { say } from '../../contract/texts.ts';

/** What to say where no route answered: a known path with another method is told apart from one that isn't there. */
export function unanswered(path: string): AppError {
  return KNOWN.some((known) => known.test(path))
    ? new AppError('method_not_allowed', say('method_not_allowed'))
    : new AppError('route_not_found', say('route_not_found'));
}

const KNOWN = Object.values<Route>(ROUTES)
  .filter((route) => route !== ROUTES.webPage)
  .map(({ path }) => new RegExp(`^${pathPattern(path)}$`));

/** One segment for each `{name}`, one or more for `{name+}`. */
export function pathPattern(path: string): string {
  return path
    .replaceAll('.', '\\.')
    .replaceAll(/\{\w+\+\}/g, '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+');
}
