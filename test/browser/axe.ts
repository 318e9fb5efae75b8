import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { WebApp } from './web-app.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = [
  { width: 1440, height: 900, suffix: '' },
  { width: 360, height: 740, suffix: '-360' },
];

/** Breaks no rule that a program can check and needs no scrolling sideways, wide and narrow; a picture is kept of both. */
export async function expectUsable(app: WebApp, page: Page, name: string): Promise<void> {
  for (const { width, height, suffix } of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await app.shot(page, name + suffix);
    expect([name, width, await violations(page)]).toEqual([name, width, []]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect([name, width, overflow]).toEqual([name, width, 0]);
  }
}

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

const ALL = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
/** Not demanded there, and needed all the same by those who do not see the page. */
const ALSO = [
  ...['aria-dialog-name', 'aria-treeitem-name', 'empty-heading', 'heading-order', 'landmark-no-duplicate-main'],
  ...['landmark-one-main', 'landmark-unique', 'page-has-heading-one', 'skip-link', 'tabindex'],
];

/** What of a page breaks a rule of WCAG 2.2 AA that a program can check. */
export async function violations(page: Page, rules: readonly string[] = ALL): Promise<string[]> {
  // Trusted Types forbid to inject a script: it is evaluated instead, once per page.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const also = rules === ALL ? Object.fromEntries(ALSO.map((rule) => [rule, { enabled: true }])) : {};
  const wanted = JSON.stringify({ runOnly: rules, rules: also, resultTypes: ['violations'] });
  const found = (await page.evaluate(`axe.run(${wanted}).then((r) => r.violations)`)) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary.split('\n')[1]}`),
  );
}
