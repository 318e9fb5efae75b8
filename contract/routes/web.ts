import type { Route } from './route.ts';

export const WEB_ROUTES = {
  page: {
    method: 'GET',
    path: '/',
    access: 'open',
    summary: 'The web app; signs a browser in',
    status: 200,
    media: 'text/html',
    web: true,
  },
  webAsset: {
    method: 'GET',
    path: '/assets/{file+}',
    access: 'open',
    summary: 'Files of the web app',
    status: 200,
    media: '*/*',
    web: true,
  },
  sharePage: {
    method: 'GET',
    path: '/s/{token}',
    access: 'open',
    summary: 'The page of a shared copy',
    status: 200,
    media: 'text/html',
    web: true,
  },
  webPage: {
    method: 'GET',
    path: '/{page+}',
    access: 'open',
    summary: 'Every other path: a page or file of the web app',
    status: 200,
    media: 'text/html',
    web: true,
  },
} as const satisfies Record<string, Route>;
