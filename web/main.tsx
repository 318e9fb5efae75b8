import './styles/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ParleyClient } from '../client/parley-client.ts';
import { App } from './app/app.tsx';
import { serverText } from './i18n/text.ts';
import { Live } from './live/live.ts';
import { pageKeyHeaders } from './state/device-memory.ts';
import { startLanguage } from './state/languages.ts';
import { followAppearance } from './state/theme.ts';
import { watchPreloads } from './ui/import-twice.ts';
import { whenIdle } from './ui/when-idle.ts';

watchPreloads();
followAppearance();
const live = new Live(
  new ParleyClient({
    baseUrl: location.origin,
    headers: pageKeyHeaders,
    fetch: earlyFetch,
    translate: serverText,
  }),
);
// Timers of a hidden tab fire late: what it has gathered is shown as soon as the tab is.
document.addEventListener('visibilitychange', () => live.catchUp());

// Nothing that has the focus goes away before the page is there.
whenIdle(() => void import('./ui/keep-focus.ts').then(({ keepFocus }) => keepFocus()).catch(() => undefined), 2000);

// Not awaited here: a catalogue that shares a file with this one could not load before this file has ended.
void startLanguage().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App live={live} />
    </StrictMode>,
  ),
);

declare global {
  /** Answers that `early.js` asked for before this script was loaded, by path and query. */
  var parleyEarlyAnswers: Map<string, Promise<Response>> | undefined;
}

/** Takes an answer that was asked for early, once; everything else is asked for now. */
function earlyFetch(url: string, init: RequestInit): Promise<Response> {
  const { pathname, search } = new URL(url);
  const answers = init.method === 'GET' ? globalThis.parleyEarlyAnswers : undefined;
  const early = answers?.get(pathname + search);
  if (!early) return fetch(url, init);
  answers?.delete(pathname + search);
  return early.catch(() => fetch(url, init));
}
