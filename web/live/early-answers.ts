declare global {
  /** Answers that `early.js` asked for before this script was loaded, by path and query. */
  var parleyEarlyAnswers: Map<string, Promise<Response>> | undefined;
}

/** Takes an answer that was asked for early, once; everything else is asked for now. */
export function earlyFetch(url: string, init: RequestInit): Promise<Response> {
  const { pathname, search } = new URL(url);
  const answers = init.method === 'GET' ? globalThis.parleyEarlyAnswers : undefined;
  const early = answers?.get(pathname + search);
  if (!early) return fetch(url, init);
  answers?.delete(pathname + search);
  return early.catch(() => fetch(url, init));
}
