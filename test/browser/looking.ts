import type { Page } from 'playwright-core';
import type { WebApp } from './web-app.ts';

/** A session of so many messages, two by two. */
export async function imported(
  { parley }: WebApp,
  count: number,
  words: (at: number) => string,
  name: string,
): Promise<string> {
  const messages = Array.from({ length: count }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: words(at),
    ...(at % 2 && { agent: 'ada' }),
  }));
  const { id } = await parley.ok<{ id: string }>('POST', `/api/imports?name=${name}`, { agent: 'ada', messages });
  return id;
}

/** Where the transcript that is shown stands. */
export function scrolled(page: Page): Promise<{ top: number; toEnd: number }> {
  return page.evaluate(`(() => {
    const log = [...document.querySelectorAll('[role=log]')].find((one) => one.checkVisibility());
    return { top: log.scrollTop, toEnd: log.scrollHeight - log.clientHeight - log.scrollTop };
  })()`);
}

/** How far below the top of the transcript a row begins. */
export function topOf(page: Page, key: string): Promise<number | null> {
  return page.evaluate(`(() => {
    const row = document.querySelector('[data-key="${key}"]');
    const log = row?.closest('[role=log]');
    return log?.checkVisibility() ? row.getBoundingClientRect().top - log.getBoundingClientRect().top : null;
  })()`);
}

/** Goes to a session by the list on the left. */
export function choose(page: Page, name: string): Promise<void> {
  return page.getByRole('treeitem', { name: new RegExp(name) }).click();
}
