import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What of a page breaks a rule of WCAG 2.2 AA that a program can check. */
export async function violations(page: Page): Promise<string[]> {
  // Trusted Types forbid to inject a script: it is evaluated instead.
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }).then((r) => r.violations)',
  )) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary.split('\n')[1]}`),
  );
}
