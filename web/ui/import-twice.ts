const AGAIN_MS = 250;

/**
 * Loads a script, and tries a second time: a connection that has died unnoticed is only found out by using it. WebKit
 * remembers that a script could not be preloaded, even on pages that are opened later, until it is fetched.
 */
export async function importTwice<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    await fetchFailed();
    return load();
  }
}

/** Addresses of scripts that could not be preloaded. */
const failed = new Set<string>();

/** Called once when a page starts, before anything is preloaded. */
export function watchPreloads(): void {
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'modulepreload') failed.add(target.href);
    },
    { capture: true },
  );
}

async function fetchFailed(): Promise<void> {
  const scripts = [...failed];
  failed.clear();
  await Promise.all(scripts.map((script) => fetch(script, { cache: 'reload' }).catch(() => failed.add(script))));
}
