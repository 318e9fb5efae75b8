import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { closeOverlays } from '../state/panes.ts';
import { loadMenus } from '../ui/menu.tsx';
import { ToastStack } from '../ui/toast.tsx';
import { lazyPage } from './lazy-page.tsx';
import { NotFoundPage, PageProblem } from './page-problem.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell });

const DashboardPage = lazyPage(async () => (await import('../pages/dashboard/dashboard-page.tsx')).DashboardPage);
const SessionPage = lazyPage(async () => (await import('../pages/session/session-page.tsx')).SessionPage);
const SearchPage = lazyPage(async () => (await import('../pages/search/search-page.tsx')).SearchPage);
const SettingsPage = lazyPage(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage);
const NewAgentPage = lazyPage(async () => (await import('../pages/agents/new-agent-page.tsx')).NewAgentPage);
const AgentPage = lazyPage(async () => (await import('../pages/agents/agent-page.tsx')).AgentPage);

/** Everything that a click can lead to without a connection. */
export const LAZY_PAGES = [
  ToastStack,
  SessionPage,
  DashboardPage,
  SettingsPage,
  SearchPage,
  AgentPage,
  NewAgentPage,
  { preload: () => import('../features/palette/palette.tsx') },
  { preload: loadMenus },
  { preload: () => import('../features/sidebar/row-menu.tsx') },
  { preload: () => import('../features/sidebar/bulk-bar.tsx') },
  { preload: () => import('../features/composer/agent-menu.tsx') },
  { preload: () => import('../features/composer/usage-popover.tsx') },
  { preload: () => import('../pages/settings/usage.tsx') },
];

/** Begun before anything is drawn when that is the page that was asked for; no other first page waits for it. */
if (location.pathname === '/') void DashboardPage.preload().catch(() => undefined);
if (location.pathname.startsWith('/sessions/')) void SessionPage.preload().catch(() => undefined);

const dashboard = createRoute({ getParentRoute: () => root, path: '/', component: DashboardPage });

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: SessionPage,
  validateSearch: (search: Record<string, unknown>): { message?: string } =>
    typeof search.message === 'string' ? { message: search.message } : {},
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: (given: Record<string, unknown>): { q?: string } =>
    typeof given.q === 'string' ? { q: given.q } : {},
  component: SearchPage,
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: SettingsPage,
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
  component: NewAgentPage,
});

/** An agent's id may hold slashes. */
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$',
  component: AgentPage,
});

export const router = createRouter({
  routeTree: root.addChildren([dashboard, session, search, settings, newAgent, agent]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageProblem,
  defaultNotFoundComponent: NotFoundPage,
});

/** A pane that lies over the page goes when another page comes. */
router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
  if (pathChanged) closeOverlays();
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
