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
    summary: 'What the web app is made of',
    status: 200,
    media: '*/*',
    web: true,
  },
  sharePage: {
    method: 'GET',
    path: '/s/{token}',
    access: 'open',
    summary: 'The page of the web app that shows a share',
    status: 200,
    media: 'text/html',
    web: true,
  },
  webPage: {
    method: 'GET',
    path: '/{page+}',
    access: 'open',
    summary:
      'Every path that nothing else answers and that no program asks for: a page of the web app, or a file of it',
    status: 200,
    media: 'text/html',
    web: true,
  },
} as const satisfies Record<string, Route>;
