import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentDetail } from '../../contract/agents.ts';
import { A2aPeer } from '../harness/a2a/peer.ts';
import { en } from '../harness/words.ts';
import { expectUsable } from './axe.ts';
import { say } from './doing.ts';
import { said, WebApp } from './web-app.ts';

const LONG = { timeout: 90_000 };

let peer: A2aPeer;
let app: WebApp;
beforeAll(async () => {
  peer = await A2aPeer.start();
  app = await WebApp.start({ config: { tools: { fetch: { allowHosts: [peer.host] } } } });
}, 60_000);
afterAll(async () => {
  await app.close();
  await peer.close();
});

const card = (page: Page) => page.getByRole('region', { name: en['agents.card'] });

test(
  'a remote agent is added by its URL and answers once its card was approved, and again once a changed one was',
  LONG,
  async () => {
    const page = await app.open('/agents/new?kind=a2a');
    const field = (key: keyof typeof en) => page.getByRole('textbox', { name: en[key], exact: true });
    await field('agents.field.agentId').fill('remote/far');
    await field('agents.field.displayName').fill('Far');
    await field('agents.field.a2a.url').fill(peer.url);
    await page.getByRole('button', { name: en['agents.connection'] }).click();
    await page.getByText('Read the card of Remote.').waitFor();
    await page.getByText("Its card isn't approved yet.").waitFor();
    await page.getByRole('button', { name: en['agents.make'] }).click();

    await page.waitForURL('**/agents/remote/far');
    await card(page).getByText(en['agents.cardNew']).waitFor();
    for (const words of ['Remote', 'A remote agent.', peer.url, 'Everything', en['agents.cardAuthNone']])
      await card(page).getByText(words).first().waitFor();
    await expectUsable(app, page, 'card-new');
    await page.goto(app.parley.url);
    await page.getByRole('listitem').filter({ hasText: 'Its card has to be approved first.' }).waitFor();
    await page.getByRole('button', { name: 'Why Far is unavailable' }).click();
    await card(page).getByRole('button', { name: en['agents.cardApprove'] }).click();
    await card(page).getByText(en['agents.cardApproved']).waitFor();

    await page.getByRole('button', { name: en['agents.newSession'], exact: true }).last().click();
    await page.waitForURL('**/sessions/*');
    await say(page, 'say Good evening from afar.');
    await said(page, 'Good evening from afar.').waitFor();
    peer.description = 'Reads\u202email.';
    await say(page, 'say Still there?');
    await said(page, "Far's card changed.").waitFor();
    await page.getByRole('link', { name: 'Open Far' }).first().click();
    await card(page).getByText(en['agents.cardChanged']).waitFor();
    const change = card(page).getByRole('row', { name: /^description/ });
    await change.getByText('A remote agent.').waitFor();
    await change.getByText('Reads').waitFor();
    // What would turn the words round is shown, not obeyed.
    expect(await change.textContent()).not.toContain('\u202e');
    await expectUsable(app, page, 'card-changed');
    await card(page).getByRole('button', { name: en['agents.cardApprove'] }).click();
    await card(page).getByText(en['agents.cardApproved']).waitFor();
    const { definition } = await app.parley.ok<AgentDetail>('GET', '/api/agents/remote/far');
    expect(definition.a2a?.cardHash).toMatch(/^[0-9a-f]{64}$/);
    expect(app.trouble).toEqual([]);
  },
);
