import type { Page } from 'playwright-core';
import type { DemoData } from './demo-data.ts';

/** One picture: where it is, and what is done before it is taken. */
export interface Shot {
  readonly name: string;
  readonly at: string;
  /** Taken by a browser that is not signed in. */
  readonly isStranger?: boolean;
  prepare?(page: Page): Promise<unknown>;
}

export function shotsOf({ sessions, artifacts, share, knowledge, team }: DemoData): readonly Shot[] {
  const at = (name: keyof typeof sessions) => `/sessions/${sessions[name]}`;
  return [
    { name: 'dashboard', at: '/' },
    { name: 'dashboard-end', at: '/', prepare: toEnd },
    ...(
      [
        'delegation',
        'rich',
        'languages',
        'approval',
        'question',
        'nested',
        'subAgent',
        'failure',
        'empty',
        'paste',
        'tools',
        'bash',
        'builder',
      ] as const
    ).map((name) => ({ name: `session-${name}`, at: at(name) })),
    { name: 'session-rich-top', at: at('rich'), prepare: toTop },
    { name: 'session-rich-middle', at: at('rich'), prepare: toMiddle },
    { name: 'session-streaming', at: at('streaming'), prepare: waitForCaret },
    { name: 'session-guest-mention', at: at('rich'), prepare: (page) => write(page, '@Concierge please have a look') },
    { name: 'session-mention-list', at: at('rich'), prepare: (page) => write(page, '@') },
    { name: 'session-commands', at: at('rich'), prepare: (page) => write(page, '/') },
    { name: 'session-menu', at: at('delegation'), prepare: (page) => click(page, SESSION_MENU) },
    { name: 'session-message-menu', at: at('delegation'), prepare: openMessageMenu },
    {
      name: 'session-agents',
      at: at('delegation'),
      prepare: (page) => click(page, '[data-composer] [aria-haspopup="menu"]'),
    },
    { name: 'session-diff', at: at('changes'), prepare: openDiff },
    { name: 'session-workspace', at: at('changes'), prepare: openWorkspace },
    { name: 'session-panels', at: at('empty'), prepare: (page) => click(page, PANEL_MENU) },
    { name: 'session-changes', at: at('changes'), prepare: (page) => openPanel(page, 'Changes') },
    { name: 'session-changes-none', at: at('empty'), prepare: (page) => openPanel(page, 'Changes') },
    { name: 'session-draft', at: at('builder'), prepare: openDraft },
    { name: 'session-share', at: at('rich'), prepare: openShare },
    { name: 'session-details', at: at('delegation'), prepare: openDetails },
    { name: 'session-sidebar', at: at('delegation'), prepare: openSidebar },
    { name: 'session-find', at: at('rich'), prepare: find },
    { name: 'shared', at: new URL(share.url).pathname, isStranger: true },
    { name: 'shared-gone', at: '/s/0000000000000000000000', isStranger: true },
    { name: 'search', at: '/search' },
    { name: 'search-results', at: '/search?q=policy' },
    { name: 'search-none', at: '/search?q=xylophone' },
    ...['appearance', 'notifications', 'grants', 'signIns', 'usage', 'about'].map((name) => ({
      name: `settings-${name}`,
      at: `/settings#${name}`,
    })),
    { name: 'dashboard-found', at: '/', prepare: toFound },
    { name: 'artifacts', at: '/artifacts' },
    ...(['list', 'note', 'view'] as const).flatMap((kind) => [
      { name: `artifacts-${kind}`, at: `/artifacts/${artifacts[kind]}` },
      {
        name: `session-panel-${kind}`,
        at: at('delegation'),
        prepare: (page: Page) => openArtifact(page, kind),
      },
    ]),
    ...['Table', 'Board', 'Calendar'].map((layout) => ({
      name: `artifacts-view-${layout.toLowerCase()}`,
      at: `/artifacts/${artifacts.view}`,
      prepare: (page: Page) => page.getByRole('main').getByRole('button', { name: layout, exact: true }).click(),
    })),
    {
      name: 'artifacts-trash',
      at: '/artifacts',
      prepare: (page) => page.getByRole('button', { name: 'Trash', exact: true }).click(),
    },
    { name: 'schedules', at: '/schedules' },
    { name: 'schedules-new', at: '/schedules', prepare: newSchedule },
    { name: 'knowledge', at: '/knowledge' },
    { name: 'knowledge-source', at: `/knowledge/${knowledge}#p2` },
    { name: 'knowledge-agent', at: '/agents/team/orchestrator#knowledge', prepare: trySearch },
    { name: 'teams', at: '/teams' },
    { name: 'team-members', at: `/teams/${team}` },
    { name: 'team-menu', at: `/teams/${team}`, prepare: openMember },
    { name: 'webhooks', at: '/webhooks' },
    { name: 'webhooks-out', at: '/webhooks', prepare: newOutgoing },
    { name: 'webhooks-new', at: '/webhooks', prepare: newWebhook },
    { name: 'agent', at: '/agents/team/coder' },
    { name: 'agent-memory', at: '/agents/team/coder#memory' },
    { name: 'agent-form', at: '/agents/team/coder#form' },
    { name: 'agent-json', at: '/agents/team/coder#json' },
    { name: 'agent-long-name', at: '/agents/principal' },
    { name: 'agent-new', at: '/agents/new' },
    { name: 'agent-blank', at: '/agents/new?blank=true' },
    ...['model', 'claude', 'codex', 'pi', 'acp', 'a2a', 'external'].map((kind) => ({
      name: `agent-kind-${kind}`,
      at: `/agents/new?kind=${kind}`,
    })),
    { name: 'agent-card', at: '/agents/remote/far' },
    { name: 'imports', at: '/', prepare: openImports },
    { name: 'templates', at: at('delegation'), prepare: openTemplates },
    { name: 'palette', at: at('delegation'), prepare: (page) => openPalette(page, '') },
    { name: 'palette-words', at: at('delegation'), prepare: (page) => openPalette(page, 'set') },
    {
      name: 'keys',
      at: at('delegation'),
      prepare: (page) =>
        page
          .locator('#main')
          .focus()
          .then(() => page.keyboard.press('?')),
    },
    { name: 'page-error', at: at('delegation'), prepare: breakSettings },
    { name: 'not-found', at: '/nope' },
    { name: 'session-not-found', at: '/sessions/0000' },
    { name: 'sign-in', at: '/', isStranger: true },
  ];
}

async function breakSettings(page: Page): Promise<void> {
  await page.route('**/assets/settings-page-*.js', (route) => route.abort());
  await page.reload();
  await page.locator('header a[href="/settings"]').click();
  await page.getByRole('alert').first().waitFor();
}

async function trySearch(page: Page): Promise<void> {
  await page.getByRole('searchbox', { name: 'Try a search' }).fill('refunds');
  await page.getByRole('link', { name: /policy.*p\. 1/ }).waitFor();
}

async function openMember(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for Reviewer' }).click();
  await page.getByRole('menuitem').first().waitFor();
}

async function newOutgoing(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New outgoing webhook' }).click();
  await page.getByRole('dialog').waitFor();
}

async function newWebhook(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New incoming webhook' }).click();
  await page.getByRole('dialog').waitFor();
}

async function newSchedule(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New schedule' }).click();
  await page.getByRole('dialog').getByLabel('When', { exact: true }).fill('every weekday at 8');
  await page
    .getByRole('dialog')
    .getByText(/^Runs /)
    .waitFor();
}

async function toEnd(page: Page): Promise<void> {
  await page.evaluate(`(() => { const main = document.querySelector('main'); main.scrollTop = main.scrollHeight; })()`);
}

const LOG = `[...document.querySelectorAll('[role=log]')].find((one) => one.checkVisibility())`;

async function toTop(page: Page): Promise<void> {
  await page.getByRole('log').filter({ visible: true }).hover();
  await page.mouse.wheel(0, -100_000);
}

async function toMiddle(page: Page): Promise<void> {
  await toTop(page);
  await page.evaluate(`${LOG}.scrollTop = 600`);
}

async function waitForCaret(page: Page): Promise<void> {
  const box = page.locator('[data-composer] textarea').filter({ visible: true });
  if ((await page.locator('.caret').filter({ visible: true }).count()) > 0) return;
  await box.fill('stream: why is the build slow?');
  await page.locator('[data-composer] button:has(.lucide-arrow-up)').filter({ visible: true }).click();
  await page.locator('.caret').filter({ visible: true }).waitFor();
  // While the agent works, the button that sends puts the message into the queue and looks like it.
  await box.fill('And how do we make it fast?');
  await page.locator('[data-composer] button:has(.lucide-list-end)').filter({ visible: true }).click();
}

async function write(page: Page, words: string): Promise<void> {
  const box = page.locator('[data-composer] textarea').filter({ visible: true });
  await box.fill('');
  await box.pressSequentially(words);
}

async function click(page: Page, selector: string): Promise<void> {
  await page.locator(selector).filter({ visible: true }).first().click();
  await page.locator('[role^="menuitem"]').first().waitFor();
}

async function openMessageMenu(page: Page): Promise<void> {
  const message = page.locator('article').filter({ visible: true }).last();
  await message.hover();
  await message.locator('[aria-haspopup="menu"]').last().click();
}

const SESSION_MENU = 'main header [aria-haspopup="menu"]:has(.lucide-ellipsis)';

async function openShare(page: Page): Promise<void> {
  await click(page, SESSION_MENU);
  await page.locator('[role=menuitem]:has(.lucide-share-2)').first().click();
  await page.getByRole('dialog').waitFor();
}

async function openDetails(page: Page): Promise<void> {
  if (page.viewportSize()!.width < 1100) await page.locator('header button:has(.lucide-panel-right)').click();
}

async function openSidebar(page: Page): Promise<void> {
  if (page.viewportSize()!.width < 760) await page.locator('header button:has(.lucide-panel-left)').click();
}

async function find(page: Page): Promise<void> {
  await page.keyboard.press('Control+f');
  await page.keyboard.type('round');
}

async function openDiff(page: Page): Promise<void> {
  const diff = page.getByRole('region', { name: 'Changed files' });
  await diff.getByRole('button').first().click();
  await diff.getByRole('button').nth(1).click();
  await diff.locator('pre').first().waitFor();
}

async function openWorkspace(page: Page): Promise<void> {
  await click(page, SESSION_MENU);
  await page.getByRole('menuitem', { name: 'Change workspace…' }).click();
  await page.getByRole('dialog').waitFor();
}

const PANEL_MENU = 'header [aria-label="Open panel"]';

async function openPanel(page: Page, kind: string): Promise<void> {
  await click(page, PANEL_MENU);
  await page.getByRole('menuitem', { name: kind, exact: true }).click();
}

async function openArtifact(page: Page, kind: 'list' | 'note' | 'view'): Promise<void> {
  await openPanel(page, kind[0]!.toUpperCase() + kind.slice(1));
  await page
    .getByRole('button', { name: /^(Books for|Trip to|Everything that)/ })
    .filter({ visible: true })
    .first()
    .click();
}

async function openDraft(page: Page): Promise<void> {
  const draft = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: /^Draft/ });
  if (page.viewportSize()!.width < 1440) await draft.click();
  await page.getByRole('region', { name: 'Draft' }).waitFor();
}

async function toFound(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Detected on this machine' }).scrollIntoViewIfNeeded();
}

async function openImports(page: Page): Promise<void> {
  await openSidebar(page);
  await page.locator('[aria-haspopup="menu"]:has(.lucide-chevron-down)').filter({ visible: true }).first().click();
  await page.getByRole('menuitem', { name: 'Import sessions…' }).click();
  await page.getByRole('dialog').last().getByRole('listitem').first().waitFor();
}

async function openTemplates(page: Page): Promise<void> {
  await openSidebar(page);
  await page.locator('[aria-haspopup="menu"]:has(.lucide-chevron-down)').filter({ visible: true }).first().click();
  await page.getByRole('menuitem', { name: 'Manage templates…' }).click();
  await page.getByRole('dialog').last().waitFor();
}

async function openPalette(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').first().waitFor();
  await page.keyboard.type(words);
}
