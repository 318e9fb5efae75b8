import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import { unanswered } from '../known-paths.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import type { WebFile } from '../web/web-files.ts';
import { isPagePath, isWebPath } from '../web/web-path.ts';

type WebDeps = Pick<RouteDeps, 'web'>;

/** The web app as it was built. */
export function webRoutes(router: Router, { web }: WebDeps): void {
  router.on('page', async ({ c }) => answer(c, await web.page()));
  router.on('sharePage', async ({ c }) => {
    // A shared page is for readers who were given its link, not for search engines.
    c.header('X-Robots-Tag', 'noindex');
    return answer(c, await web.page('/shared.html'));
  });
  router.on('webAsset', async ({ c }) => answer(c, await web.find(c.req.path), FOR_EVER));
}

/** Mounted last: for every path that no other route answers. */
export function everythingElse(router: Router, { web }: WebDeps): void {
  router.on('webPage', async ({ c }) => {
    const { path } = c.req;
    if (!isWebPath(path)) throw unanswered(c.req.path);
    if (isPagePath(path)) return answer(c, await web.page());
    const frame = Object.hasOwn(FRAMES, path) ? FRAMES[path] : undefined;
    return answer(c, await web.find(path), 'no-cache', frame);
  });
}

/** Their names change with their contents. */
const FOR_EVER = 'public, max-age=31536000, immutable';

async function answer(c: Ctx, file: WebFile | undefined, cacheControl = 'no-store', own: object = {}) {
  if (!file) throw new AppError('route_not_found', say('route_not_found'));
  const { headers } = c.env.incoming;
  const cached: Record<string, string> = cacheControl === 'no-store' ? {} : { ETag: file.etag };
  const about = { ...WEB_HEADERS, ...own, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding', ...cached };
  if (cacheControl !== 'no-store' && isKnown(headers['if-none-match'], file.etag)) return c.body(null, 304, about);
  const encoding = file.encodingFor(headers['accept-encoding']?.toString());
  const bytes = (await file.bytes(encoding)) as Uint8Array<ArrayBuffer>;
  const packed: Record<string, string> = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
  return c.body(bytes, 200, { ...about, ...packed, 'Content-Type': file.type });
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((known) => known.trim() === etag) ?? false;
}

/** Nothing from anywhere else, no inline script or style, no frame around us, and no string becomes code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types app-worker',
].join('; ');

/** Recognising speech on the device is not named: pages of Parley may do it anyway, and most browsers do not know the name. */
const PERMISSIONS = ['microphone=(self)', 'camera=()', 'geolocation=()'].join(', ');

/** What a model has written runs without an origin and can load nothing. */
function framePolicy(scripts: string): string {
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'font-src data:',
    'media-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

const IN_FRAMES = {
  'X-Frame-Options': 'SAMEORIGIN',
  'X-DNS-Prefetch-Control': 'off',
  'Permissions-Policy': 'geolocation=()',
};

/** Pages in which the app shows what models have written, and the script of one: a page without an origin asks for it. */
const FRAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/preview-frame.html': { ...IN_FRAMES, 'Content-Security-Policy': framePolicy("'unsafe-inline'") },
  '/diagram-frame.html': { ...IN_FRAMES, 'Content-Security-Policy': framePolicy("'self'") },
  '/diagram-frame.js': { 'Cross-Origin-Resource-Policy': 'cross-origin' },
};

/** On every page and every file of the web app, besides what every answer carries. */
const WEB_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS,
} as const;
