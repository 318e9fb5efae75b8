import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  useRouter,
} from '@tanstack/react-router';
import { type ComponentType, use } from 'react';
import { useText } from '../i18n/text.ts';
import { useLive } from '../live/use-live.ts';
import { isKind, type Kind } from '../state/agent-kinds.ts';
import { closeOverlays } from '../state/panes.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { importTwice } from '../ui/import-twice.ts';
import { loadMenus } from '../ui/menu.tsx';
import { ToastStack } from '../ui/toast.tsx';
import { whenIdle } from '../ui/when-idle.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell });

const DashboardPage = lazyPage(async () => (await import('../pages/dashboard/dashboard-page.tsx')).DashboardPage);
const SessionPage = lazyPage(async () => (await import('../pages/session/session-page.tsx')).SessionPage);
const SearchPage = lazyPage(async () => (await import('../pages/search/search-page.tsx')).SearchPage);
const SettingsPage = lazyPage(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage);
const WebhooksPage = lazyPage(async () => (await import('../pages/webhooks/webhooks-page.tsx')).WebhooksPage);
const SchedulesPage = lazyPage(async () => (await import('../pages/schedules/schedules-page.tsx')).SchedulesPage);
const NewAgentPage = lazyPage(async () => (await import('../pages/agents/new-agent-page.tsx')).NewAgentPage);
const ArtifactsPage = lazyPage(async () => (await import('../pages/artifacts/artifacts-page.tsx')).ArtifactsPage);
const ArtifactPage = lazyPage(async () => (await import('../pages/artifacts/artifact-page.tsx')).ArtifactPage);
const KnowledgePage = lazyPage(async () => (await import('../pages/knowledge/knowledge-page.tsx')).KnowledgePage);
const TeamsPage = lazyPage(async () => (await import('../pages/teams/teams-page.tsx')).TeamsPage);
const SourcePage = lazyPage(async () => (await import('../pages/knowledge/source-page.tsx')).SourcePage);
const AgentPage = lazyPage(async () => (await import('../pages/agents/agent-page.tsx')).AgentPage);

/** Everything that a click can lead to without a connection. */
export const LAZY_PAGES = [
  ToastStack,
  SessionPage,
  DashboardPage,
  SettingsPage,
  SearchPage,
  AgentPage,
  ArtifactsPage,
  ArtifactPage,
  KnowledgePage,
  SourcePage,
  NewAgentPage,
  TeamsPage,
  SchedulesPage,
  WebhooksPage,
  { preload: () => import('../features/palette/palette.tsx') },
  { preload: () => import('./help-sheet.tsx') },
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

const webhooks = createRoute({ getParentRoute: () => root, path: '/webhooks', component: WebhooksPage });
const schedules = createRoute({ getParentRoute: () => root, path: '/schedules', component: SchedulesPage });

/** What a new agent begins as: a copy, a template, something found on this machine; else nothing. */
interface NewAgentFrom {
  from?: string;
  template?: string;
  discovered?: string;
  kind?: Kind;
}

const newAgent = createRoute({
  getParentRoute: () => root,
  path: '/agents/new',
  validateSearch: ({ from, template, discovered, kind, blank }: Record<string, unknown>): NewAgentFrom => {
    if (typeof from === 'string') return { from };
    if (typeof template === 'string') return { template };
    if (typeof discovered === 'string') return { discovered };
    if (isKind(kind)) return { kind };
    return blank === true ? { kind: 'model' } : {};
  },
  component: NewAgentPage,
});

const artifacts = createRoute({ getParentRoute: () => root, path: '/artifacts', component: ArtifactsPage });

const artifact = createRoute({
  getParentRoute: () => root,
  path: '/artifacts/$artifactId',
  component: ArtifactPage,
});

const knowledge = createRoute({ getParentRoute: () => root, path: '/knowledge', component: KnowledgePage });

const source = createRoute({ getParentRoute: () => root, path: '/knowledge/$sourceId', component: SourcePage });

const teams = createRoute({ getParentRoute: () => root, path: '/teams', component: TeamsPage });

const team = createRoute({ getParentRoute: () => root, path: '/teams/$teamId', component: TeamsPage });

/** An agent's id may hold slashes. */
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$',
  component: AgentPage,
});

export const router = createRouter({
  routeTree: root.addChildren([
    dashboard,
    session,
    search,
    settings,
    schedules,
    artifacts,
    artifact,
    knowledge,
    source,
    webhooks,
    teams,
    team,
    newAgent,
    agent,
  ]),
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

/** Instead of a page that could not be loaded or drawn; everything around it stays. */
function PageProblem({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  const text = useText();
  const router = useRouter();
  const connected = useLive((state) => state.connection === 'open');
  const retry = () => {
    // Browsers remember a failed import, and a newer server has other script names: only a reload helps against both.
    if (connected && error instanceof PageLoadError) return location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <main className="flex min-w-0 flex-1">
      <div role="alert" className="m-auto">
        <EmptyState
          level={1}
          title={text('page.failed')}
          action={
            <Button look="primary" onClick={retry}>
              {text('error.retry')}
            </Button>
          }
        >
          {text('page.failedHint')}
        </EmptyState>
      </div>
    </main>
  );
}

function NotFoundPage() {
  const text = useText();
  return (
    <main className="flex min-w-0 flex-1">
      <div className="m-auto">
        <EmptyState
          level={1}
          title={text('page.notFound')}
          action={
            <Link to="/" className="inline-flex items-center text-link underline touch:min-h-11">
              {text('page.toDashboard')}
            </Link>
          }
        >
          {text('page.notFoundHint')}
        </EmptyState>
      </div>
    </main>
  );
}

type LazyPage = (() => React.ReactNode) & {
  /** Loads the page's script, so that it opens at once and also without a connection. */
  preload(): Promise<void>;
};

/** The script of a page could not be loaded: the server is unreachable, or has a newer version of the app. */
class PageLoadError extends Error {}

/**
 * A page whose script is loaded when it is first wanted. A load that failed is an error of this page alone, which the
 * router shows inside the app.
 */
function lazyPage(load: () => Promise<ComponentType>): LazyPage {
  let loading: Promise<ComponentType> | null = null;
  const loaded = () => {
    loading ??= importTwice(load).catch((error: unknown) => {
      loading = null;
      throw new PageLoadError('the script of a page could not be loaded', { cause: error });
    });
    return loading;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each page, when this module's importer loads
  const Page = () => {
    const Loaded = use(loaded());
    return <Loaded />;
  };
  return Object.assign(Page, { preload: async () => void (await loaded()) });
}

/** One after the other, while the person does nothing: the page that is open comes first. */
export async function preloadWhenIdle(pages: readonly { preload(): Promise<unknown> }[]): Promise<void> {
  for (const page of pages) {
    await new Promise<void>((resolve) => whenIdle(resolve, 5000));
    await page.preload().catch(() => undefined);
  }
}
