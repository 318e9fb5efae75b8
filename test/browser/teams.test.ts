import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentDetail, AgentList } from '../../contract/agents.ts';
import { BUILDER } from '../../contract/builder.ts';
import type { Team, TeamFile, TeamList } from '../../contract/teams.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { expectUsable } from './axe.ts';
import { openSession, say, tabTo, toast } from './doing.ts';
import { composer, said, WebApp } from './web-app.ts';

let app: WebApp;
beforeAll(async () => {
  const builder = { agentId: BUILDER.agentId, extends: BUILDER.template, displayName: 'Agent builder' };
  app = await WebApp.start({
    agents: [
      { agentId: 'ada', displayName: 'Ada', agentAllowlist: [] },
      { agentId: 'bob', displayName: 'Bob' },
      { agentId: 'eva', displayName: 'Eva', agentAllowlist: [] },
      { agentId: 'zoe', displayName: 'Zoe' },
      { ...builder, toolAllowlist: undefined },
    ],
  });
  app.provider.script(play);
}, 60_000);
afterEach(async () => {
  for (const { id, created } of await teams())
    await app.parley.ok('DELETE', created.length > 0 ? `/api/made-teams/${id}` : `/api/teams/${id}`);
});
afterAll(() => app.close());

const teams = async () => (await app.parley.ok<TeamList>('GET', '/api/teams')).teams;
const ids = async () =>
  (await app.parley.ok<AgentList>('GET', '/api/agents?hidden=true')).agents.map(({ agentId }) => agentId);

/** Proposes a team on `team NAME`, delegates on `to NAME`, and answers everything else. */
function play({ body, said: words }: RecordedRequest): Script {
  const messages = body.messages as { role: string; content: string }[];
  const isAsked = messages.at(-1)!.role === 'user';
  const name = /^team (\w+)$/m.exec(words)?.[1];
  const to = /^to (\w+)$/m.exec(words)?.[1];
  if (name && isAsked) return { steps: [call('builder_team', crew(name))] };
  if (to && isAsked && messages[0]!.content.includes('Delegating:')) {
    const [, id = to] = new RegExp(`^- (\\S*${to})[:\\s]`, 'm').exec(messages[0]!.content) ?? [];
    return { steps: text(`<delegate to="${id}">Do it.</delegate>`) };
  }
  return { steps: text(`Re: ${words.slice(0, 40)}`) };
}

function call(name: string, input: object) {
  return { kind: 'toolCall', name, input: JSON.stringify(input) } as const;
}

function crew(name: string) {
  const id = name.toLowerCase();
  const chat = { provider: 'openai-compatible', model: 'model-of-ada', baseUrl: `${app.provider.url}/v1` };
  const one = (role: string, more: object = {}) => ({
    agentId: `${id}/${role}`,
    displayName: `${name} ${role}`,
    description: `The ${role}.`,
    chat,
    toolAllowlist: [],
    ...more,
  });
  const below = { parentAgentId: `${id}/lead` };
  const agents = [one('lead'), one('writer', below), one('checker', { parentAgentId: `${id}/writer` })];
  return { name, description: `What ${name} does.`, agents };
}

async function drafting(name: string): Promise<Page> {
  const { id } = await app.parley.createSession({ agentId: BUILDER.agentId });
  await app.parley.say(id, { content: `team ${name}` });
  const page = await app.open(`/sessions/${id}`);
  await draft(page).getByText(`${name} lead`).waitFor();
  return page;
}

/** Who uses the keyboard goes on where the form was. */
const focused = (place: Locator) =>
  expect.poll(() => place.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);

const WIDE = { width: 1440, height: 900 };
const draft = (page: Page) => page.getByRole('region', { name: 'Draft', exact: true });
const create = (page: Page) => draft(page).getByRole('button', { name: 'Create team' });

test('a team is shown as a tree, changed, tried, created by the person and undone', { timeout: 120_000 }, async () => {
  const page = await drafting('Alpha');
  await draft(page).getByRole('button', { name: 'Edit Alpha writer' }).click();
  const name = draft(page).getByRole('textbox', { name: 'Name' });
  await name.fill('Ada');
  await draft(page).getByRole('button', { name: 'Apply' }).click();
  await draft(page)
    .getByText(/displayName/)
    .waitFor();
  await expect.poll(() => create(page).isDisabled()).toBe(true);
  await draft(page).getByRole('button', { name: 'Edit Ada' }).click();
  await draft(page).getByRole('textbox', { name: 'Name' }).fill('Alpha scribe');
  await draft(page).getByRole('button', { name: 'Apply' }).click();
  await focused(draft(page).getByRole('button', { name: 'Edit Alpha scribe' }));
  await draft(page).getByText('Edited. Your changes go with your next message.').waitFor();
  await expect.poll(() => create(page).isEnabled()).toBe(true);

  await draft(page).getByRole('button', { name: 'Try it' }).click();
  const trial = page.getByRole('region', { name: 'Try the team' });
  await trial.getByRole('textbox', { name: 'Send a test message' }).fill('to writer');
  await page.keyboard.press('Enter');
  await trial.getByText('Alpha scribe').first().waitFor();
  await expect.poll(() => ids().then((all) => all.some((id) => id.startsWith('trial-')))).toBe(true);
  expect(await ids()).not.toContain('alpha/lead');
  await trial.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => ids().then((all) => all.some((id) => id.startsWith('trial-')))).toBe(false);

  await say(page, 'Thank you.');
  const sent = async () => (await app.parley.messages(openSession(page))).findLast(({ role }) => role === 'user')!.text;
  await expect.poll(sent).toContain('"displayName": "Alpha scribe"');
  await create(page).click();
  await toast(page, 'Alpha is ready').waitFor();
  expect(await teams()).toMatchObject([{ name: 'Alpha', agents: ['alpha/lead', 'alpha/writer', 'alpha/checker'] }]);
  await draft(page).getByRole('button', { name: 'Undo' }).click();
  await toast(page, 'Alpha and its agents were deleted.').waitFor();
  expect(await ids()).not.toContain('alpha/lead');
  expect(app.trouble).toEqual([]);
});

test('a team is JSON as well, by keyboard, and at 360 px', { timeout: 90_000 }, async () => {
  const page = await drafting('Beta');
  await expectUsable(app, page, 'builder-team');
  await page.setViewportSize(WIDE);
  await draft(page).getByRole('tab', { name: 'Agents' }).focus();
  await page.keyboard.press('ArrowRight');
  const box = draft(page).getByRole('textbox', { name: 'JSON' });
  expect(JSON.parse(await box.inputValue())).toMatchObject({ name: 'Beta' });
  await box.fill('{');
  await draft(page).getByText('This is not the JSON of a team').waitFor();
  expect(await create(page).count()).toBe(0);
  await box.fill(JSON.stringify({ ...crew('Gamma') }));
  await tabTo(page, create(page));
  await page.keyboard.press('Enter');
  await toast(page, 'Gamma is ready').waitFor();
  await draft(page).getByRole('button', { name: 'Undo' }).waitFor();
  expect(JSON.parse(await box.inputValue())).toMatchObject({ name: 'Gamma' });
  expect(await create(page).count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: /^Draft/ }).press('Enter');
  await page.getByRole('dialog', { name: /^Draft/ }).waitFor();
  await expectUsable(app, page, 'builder-team-narrow');
  expect(app.trouble).toEqual([]);
});

test('the agents of a session are kept as a team, and a session begins with it', { timeout: 90_000 }, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Hello' });
  await app.parley.say(id, { content: 'And you?', guest: 'zoe' });
  const page = await app.open(`/sessions/${id}`);
  await said(page, 'Re: And you?').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('as a team');
  await page.getByRole('option', { name: "Save this session's agents as a team…" }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as team' });
  await dialog.getByLabel('Name', { exact: true }).fill('Pair');
  await dialog.getByText('agentAllowlist of ada does not include zoe.').waitFor();
  await dialog.getByText('Change Ada so that it can delegate').click();
  await expectUsable(app, page, 'save-team');
  await page.setViewportSize(WIDE);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved “Pair”').waitFor();
  expect(await teams()).toMatchObject([{ name: 'Pair', agents: ['ada', 'zoe'] }]);

  await page.getByRole('button', { name: 'New session with…' }).click();
  await page.getByRole('menuitem', { name: 'Pair' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await composer(page).pressSequentially('@');
  const options = page.getByRole('listbox').getByRole('option');
  await options.first().waitFor();
  expect(await options.first().textContent()).toContain('Zoe');
  await composer(page).fill('');
  await say(page, 'to zoe');
  await expect
    .poll(async () => (await app.parley.messages(openSession(page))).map(({ agent }) => agent))
    .toContain('zoe');
  expect(app.trouble).toEqual([]);
});

test('what an orchestrator lacks is said in the language of the person', { timeout: 60_000 }, async () => {
  const { id } = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(id, { content: 'Hello' });
  await app.parley.say(id, { content: 'And you?', guest: 'bob' });
  const page = await app.open(`/sessions/${id}`, { locale: 'de-DE' });
  await page.getByRole('button', { name: 'Sitzungsaktionen' }).click();
  await page.getByRole('menuitem', { name: 'Als Team speichern …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Als Team speichern' });
  await dialog.getByText('agentAllowlist von ada enthält bob nicht.').waitFor();
  expect(app.trouble).toEqual([]);
});

const main = (page: Page) => page.getByRole('main');
const shownAgents = async (page: Page) => {
  const rows = main(page).getByRole('list', { name: 'Agents' }).getByRole('listitem');
  return (await rows.allInnerTexts()).map((words) => words.split('\n').at(1));
};

test('teams are listed, exported, imported and deleted, which can be taken back', { timeout: 90_000 }, async () => {
  await app.parley.ok('POST', '/api/teams', { name: 'Duo', agents: ['bob', 'zoe'] });
  const page = await app.open('/');
  await page.getByRole('button', { name: 'New session with…' }).click();
  await page.getByRole('menuitem', { name: 'Manage teams…' }).click();
  await page.waitForURL('**/teams');
  await main(page).getByText('Bob · Zoe').waitFor();
  await expectUsable(app, page, 'teams');
  await page.setViewportSize(WIDE);
  const download = page.waitForEvent('download');
  await main(page).getByRole('button', { name: 'Actions for “Duo”' }).click();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  const file = await (await download).path();
  const exported = JSON.parse(readFileSync(file, 'utf8')) as TeamFile;
  expect(exported.team.agents.map(({ agentId }) => agentId)).toEqual(['bob', 'zoe']);
  await main(page).getByRole('button', { name: 'Actions for “Duo”' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete team' }).press('Enter');
  await focused(main(page).getByRole('button', { name: 'Undo' }));
  await page.keyboard.press('Enter');
  await focused(main(page).getByRole('link', { name: 'Duo' }));
  expect((await teams()).map(({ name }) => name)).toEqual(['Duo']);
  const other = path.join(app.parley.home, 'other.json');
  writeFileSync(other, JSON.stringify({ ...exported, team: crew('Delta') }));
  await main(page).getByLabel('Import team…').first().setInputFiles(other);
  const dialog = page.getByRole('dialog', { name: 'Import team' });
  await dialog.getByText('delta/lead').waitFor();
  expect(await ids()).not.toContain('delta/lead');
  await dialog.getByRole('button', { name: 'Create team' }).click();
  await main(page).getByRole('link', { name: 'Delta' }).waitFor();
  expect(await ids()).toContain('delta/lead');
  await page.goto(app.parley.url);
  await main(page).getByRole('link', { name: 'Delta' }).click();
  await page.waitForURL('**/teams/*');
  await expect.poll(() => shownAgents(page)).toEqual(['Delta lead', 'Delta writer', 'Delta checker']);
  expect(app.trouble).toEqual([]);
});

test('a team is put together and changed by keyboard alone', { timeout: 90_000 }, async () => {
  const page = await app.open('/teams');
  await tabTo(page, main(page).getByRole('button', { name: 'New team' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New team' });
  await dialog.getByRole('textbox', { name: 'Name' }).waitFor();
  await page.keyboard.type('Trio');
  await dialog.getByLabel('Orchestrator').selectOption('Eva');
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
  await page.waitForURL('**/teams/*');
  for (const name of ['Bob', 'Zoe']) {
    await main(page).getByLabel('Agent to add').selectOption(name);
    await tabTo(page, main(page).getByRole('button', { name: 'Add', exact: true }));
    await page.keyboard.press('Enter');
    await main(page).getByRole('link', { name }).waitFor();
  }
  expect(await shownAgents(page)).toEqual(['Eva', 'Bob', 'Zoe']);
  await main(page).getByText('agentAllowlist of eva does not include zoe.').waitFor();
  await expectUsable(app, page, 'team');
  await page.setViewportSize(WIDE);
  await main(page).getByRole('button', { name: 'Change Eva' }).press('Enter');
  await expect.poll(() => main(page).getByText('does not include zoe').count()).toBe(0);

  const choose = async (name: string, item: string) => {
    await main(page)
      .getByRole('button', { name: `Actions for ${name}` })
      .press('Enter');
    await page.getByRole('menuitem', { name: item }).press('Enter');
  };
  await choose('Zoe', 'Move up');
  await expect.poll(() => shownAgents(page)).toEqual(['Eva', 'Zoe', 'Bob']);
  await choose('Bob', 'Put under Zoe');
  await expect.poll(async () => (await app.parley.ok<AgentDetail>('GET', '/api/agents/bob')).parentAgentId).toBe('zoe');
  await main(page).getByRole('button', { name: 'Actions for Bob' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Put under Eva' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Put under Zoe' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await choose('Zoe', 'Remove from team');
  await expect.poll(() => shownAgents(page)).toEqual(['Eva', 'Bob']);
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('BUTTON');
  await toast(page, 'Zoe is no longer in “Trio”.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => shownAgents(page)).toEqual(['Eva', 'Zoe', 'Bob']);
  await choose('Zoe', 'Make orchestrator');
  await expect.poll(() => shownAgents(page)).toEqual(['Zoe', 'Eva', 'Bob']);
  expect(await teams()).toMatchObject([{ name: 'Trio', agents: ['zoe', 'eva', 'bob'] }]);

  await main(page).getByRole('button', { name: 'Actions for “Trio”' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit name and description…' }).press('Enter');
  const editing = page.getByRole('dialog', { name: 'Edit “Trio”' });
  await editing.getByLabel('What it is for').fill('For trips.');
  await editing.getByRole('textbox', { name: 'Name' }).fill('Three');
  await page.keyboard.press('Enter');
  await main(page).getByRole('heading', { name: 'Three' }).waitFor();
  await main(page).getByText('For trips.').waitFor();
  await main(page).getByRole('button', { name: 'Actions for “Three”' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete team' }).press('Enter');
  await page.waitForURL('**/teams');
  await toast(page, 'Deleted “Three”').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForURL('**/teams/*');
  await expect.poll(() => shownAgents(page)).toEqual(['Zoe', 'Eva', 'Bob']);
  await main(page).getByRole('button', { name: 'New session' }).press('Enter');
  await page.waitForURL('**/sessions/*');
  expect(app.trouble).toEqual([]);
});

test('a team that was changed elsewhere is shown as it is now', { timeout: 60_000 }, async () => {
  const { id } = await app.parley.ok<Team>('POST', '/api/teams', { name: 'Quad', agents: ['bob', 'zoe'] });
  const page = await app.open(`/teams/${id}`);
  await expect.poll(() => shownAgents(page)).toEqual(['Bob', 'Zoe']);
  await app.parley.ok('PATCH', `/api/teams/${id}`, { name: 'Quart', agents: ['zoe'] });
  await main(page).getByRole('heading', { name: 'Quart' }).waitFor();
  expect(await shownAgents(page)).toEqual(['Zoe']);
  await app.parley.ok('DELETE', `/api/teams/${id}`);
  await main(page)
    .getByText(/Team not found/)
    .waitFor();
});
