import assert from 'node:assert/strict';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { type RecordedRequest, ScriptedProvider } from '../harness/scripted-provider.ts';
import { gate, type Script, text } from '../harness/scripted-script.ts';
import { type DrivenBrowser, seesText, until } from './driven-browser.ts';

const BOX = `[...document.querySelectorAll('[data-composer] textarea')].find((box) => box.checkVisibility())`;
const APPROVE = `[...document.querySelectorAll('[role=log] [role=group][aria-label] button')].at(-1)`;

interface Place {
  readonly browser: DrivenBrowser;
  readonly parley: Parley;
  readonly provider: ScriptedProvider;
}

type Flow = (place: Place) => Promise<void>;

/** What a person does in the first minutes. */
const FLOWS: Readonly<Record<string, Flow>> = {
  // First: what has been loaded before cannot be missing.
  'what could not be loaded while the server was away is loaded when it is back': loadedLater,
  'first steps: the dashboard begins a session and an answer comes': firstSteps,
  'an answer grows, and a reload in its middle loses nothing': streaming,
  'a tool call is approved': approval,
  'what is written while the server is away is sent when it is back': offline,
  'the palette opens the settings': palette,
  'at 360 pixels nothing is wider than the page': narrow,
};

/** Runs every flow on a server of its own; gives the names of those that failed. */
export async function runFlows(browser: DrivenBrowser): Promise<string[]> {
  const provider = await ScriptedProvider.start();
  const agent = scriptedAgent(provider.url, 'ada', {
    displayName: 'Ada',
    toolAllowlist: ['todo_*'],
    approvals: { todo_add: 'ask' },
  });
  const parley = await Parley.start({ config: { agents: [agent] } });
  const failed: string[] = [];
  try {
    const { url } = await parley.ok<{ url: string }>('POST', '/api/sign-in-links', {});
    await browser.resize(1280, 900);
    await browser.goto(url);
    await until(browser, `document.querySelector('header')`);
    for (const [name, flow] of Object.entries(FLOWS))
      failed.push(...(await tried(name, flow, { browser, parley, provider })));
  } finally {
    await browser.close();
    await parley.close();
    await provider.close();
  }
  return failed;
}

async function tried(name: string, flow: Flow, place: Place): Promise<string[]> {
  place.provider.script(({ said }) => ({ steps: text(`Re: ${said}`) }));
  try {
    await flow(place);
    console.log(`  ok      ${name}`);
    return [];
  } catch (error) {
    console.log(`  FAILED  ${name}\n          ${(error as Error).message}`);
    return [name];
  }
}

async function say(browser: DrivenBrowser, words: string): Promise<void> {
  await until(browser, BOX);
  await browser.evaluate(`${BOX}.focus()`);
  await browser.type(words);
  await browser.press('Enter');
}

async function openSession({ browser, parley }: Place): Promise<string> {
  const { id } = await parley.createSession({ agentId: 'ada' });
  await browser.goto(`${parley.url}/sessions/${id}`);
  await until(browser, BOX);
  return id;
}

async function firstSteps({ browser, parley }: Place): Promise<void> {
  await browser.goto(parley.url);
  const card = `document.querySelector('main h3 button')`;
  await until(browser, card);
  await browser.evaluate(`${card}.click()`);
  await until(browser, `location.pathname.startsWith('/sessions/')`);
  await say(browser, 'Hello there');
  await until(browser, seesText('Re: Hello there'));
}

async function streaming(place: Place): Promise<void> {
  const { browser, provider } = place;
  const [first, second] = [gate(), gate()];
  provider.script(() => ({
    steps: [
      ...text('One'),
      { kind: 'gate', until: first.until },
      ...text(' two'),
      { kind: 'gate', until: second.until },
      ...text(' three'),
    ],
  }));
  await openSession(place);
  await say(browser, 'Count');
  await until(browser, seesText('One'));
  await browser.reload();
  await until(browser, seesText('One'));
  first.open();
  await until(browser, seesText('One two'));
  second.open();
  await until(browser, seesText('One two three'));
}

async function approval(place: Place): Promise<void> {
  const { browser, provider } = place;
  provider.script(writeDown);
  await openSession(place);
  await say(browser, 'We need milk');
  await until(browser, APPROVE);
  const allow = `[...document.querySelectorAll('[role=log] button')].find((one) => /^Allow/.test(one.innerText))`;
  await until(browser, allow);
  await browser.evaluate(`${allow}.click()`);
  await until(browser, seesText('It is written down'));
}

function writeDown({ body }: RecordedRequest): Script {
  const messages = body.messages as { role: string }[];
  if (messages.at(-1)?.role === 'tool') return { steps: text('It is written down.') };
  return { steps: [{ kind: 'toolCall', name: 'todo_add', input: '{"title":"milk"}' }] };
}

async function offline(place: Place): Promise<void> {
  const { browser, parley } = place;
  const id = await openSession(place);
  await parley.kill();
  await until(browser, `document.querySelector('[role=status]')`);
  await say(browser, 'Written offline');
  await parley.restartThere();
  await until(browser, seesText('Re: Written offline'));
  assert.equal((await parley.messages(id)).filter(({ role }) => role === 'user').length, 1);
}

/** WebKit remembers scripts that could not be preloaded. */
async function loadedLater(place: Place): Promise<void> {
  const { browser, parley } = place;
  await openSession(place);
  await parley.kill();
  await until(browser, `document.querySelector('link[rel=modulepreload][href*="/palette-"]')`).finally(() =>
    parley.restartThere(),
  );
  await browser.goto(parley.url);
  await openPalette(browser);
  await browser.press('Escape');
}

async function openPalette(browser: DrivenBrowser): Promise<void> {
  await until(browser, `document.querySelector('main h1')`);
  await browser.press('Control+k');
  await until(browser, `document.activeElement?.getAttribute('role') === 'combobox'`);
}

async function palette({ browser, parley }: Place): Promise<void> {
  await browser.goto(parley.url);
  await openPalette(browser);
  await browser.type('settings');
  await until(
    browser,
    `document.querySelector('[role=option][aria-selected=true]')?.innerText.includes('Open settings')`,
  );
  await browser.press('Enter');
  await until(
    browser,
    `location.pathname === '/settings' && document.querySelector('main h1')?.innerText === 'Settings'`,
  );
}

async function narrow({ browser, parley }: Place): Promise<void> {
  await browser.resize(360, 740);
  for (const at of ['/', '/settings', '/search', '/agents/ada']) {
    await browser.goto(parley.url + at);
    await until(browser, `document.querySelector('main h1')`);
    await until(browser, 'document.documentElement.scrollWidth <= innerWidth');
  }
}
