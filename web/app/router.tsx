import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { DashboardPage } from '../pages/dashboard/dashboard-page.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell });

const dashboard = createRoute({ getParentRoute: () => root, path: '/', component: DashboardPage });

/** Begun before anything is drawn when that is the page that was asked for. */
const sessionPage = location.pathname.startsWith('/sessions/') ? import('../conversation/session-page.tsx') : null;

function loadSessionPage() {
  return sessionPage ?? import('../conversation/session-page.tsx');
}

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: lazyRouteComponent(loadSessionPage, 'SessionPage'),
  validateSearch: (search: Record<string, unknown>): { message?: string } =>
    typeof search.message === 'string' ? { message: search.message } : {},
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: (given: Record<string, unknown>): { q?: string } =>
    typeof given.q === 'string' ? { q: given.q } : {},
  component: lazyRouteComponent(() => import('../pages/search/search-page.tsx'), 'SearchPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
});

/** What a new agent begins as: a copy, a template, something found on this machine; else nothing. */
interface NewAgentFrom {
  from?: string;
  template?: string;
  discovered?: string;
  blank?: boolean;
}

const newAgent = createRoute({
  getParentRoute: () => root,
  path: '/agents/new',
  validateSearch: ({ from, template, discovered, blank }: Record<string, unknown>): NewAgentFrom => {
    if (typeof from === 'string') return { from };
    if (typeof template === 'string') return { template };
    if (typeof discovered === 'string') return { discovered };
    return blank === true ? { blank } : {};
  },
  component: lazyRouteComponent(() => import('../pages/agents/new-agent-page.tsx'), 'NewAgentPage'),
});

/** An agent's id may hold slashes. */
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$',
  component: lazyRouteComponent(() => import('../pages/agents/agent-page.tsx'), 'AgentPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([dashboard, session, search, settings, newAgent, agent]),
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
