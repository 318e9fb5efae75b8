import { type ComponentType, use } from 'react';

export type LazyPage = (() => React.ReactNode) & {
  /** Loads the page's script, so that it opens at once and also without a connection. */
  preload(): Promise<void>;
};

/** The script of a page could not be loaded: the server is unreachable, or has a newer version of the app. */
export class PageLoadError extends Error {}

/**
 * A page whose script is loaded when it is first wanted. A load that failed is an error of this page alone, which the
 * router shows inside the app.
 */
export function lazyPage(load: () => Promise<ComponentType>): LazyPage {
  let loading: Promise<ComponentType> | null = null;
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
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
    await idle();
    await page.preload().catch(() => undefined);
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 5000 });
    else setTimeout(resolve, 200);
  });
}
