// `npm run screenshots [name…] [360|768|1440] [light|dark] [de]`: every page at three widths, light and dark, as PNG files
// in `.vitest/pages`. Names, widths and themes narrow it down; a name is the beginning of the name of a page. With `de`,
// what can be prepared without English words is shown in German.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../browser/chromium.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { type DemoData, startDemoData } from './demo-data.ts';
import { type Shot, shotsOf } from './shots.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../.vitest/pages');
const WIDTHS = [360, 768, 1440];
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const given = process.argv.slice(2);
const widths = WIDTHS.filter((width) => given.includes(String(width)));
const themes = THEMES.filter((theme) => given.includes(theme));
const isGerman = given.includes('de');
const wanted = given.filter((word) => !/^(\d+|light|dark|de)$/.test(word));
mkdirSync(FOLDER, { recursive: true });
const failures: string[] = [];
const provider = await ScriptedProvider.start();
const demo = await startDemoData(provider);
const browser = await launch();
try {
  for (const theme of themes.length > 0 ? themes : THEMES)
    for (const width of widths.length > 0 ? widths : WIDTHS) await takeAll(browser, demo, theme, width);
} finally {
  await browser.close();
  await demo.parley.close();
  await demo.machine.close();
  await provider.close();
}
for (const failure of failures) console.log(failure);
if (failures.length > 0) process.exitCode = 1;

async function launch(): Promise<Browser> {
  const { executablePath, args, env } = await findChromium();
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } as Record<string, string> });
}

async function takeAll(browser: Browser, demo: DemoData, theme: Theme, width: number): Promise<void> {
  const context = await newContext(browser, theme, width);
  const signedIn = await signIn(context, demo);
  const stranger = await newContext(browser, theme, width);
  const strangerPage = await stranger.newPage();
  for (const shot of shotsOf(demo)) {
    if (wanted.length > 0 && !wanted.some((name) => shot.name.startsWith(name))) continue;
    await take(
      shot.isStranger ? strangerPage : signedIn,
      demo,
      shot,
      `${shot.name}-${width}-${theme}${isGerman ? '-de' : ''}`,
    );
  }
  await Promise.all([context.close(), stranger.close()]);
}

async function signIn(context: BrowserContext, demo: DemoData): Promise<Page> {
  const page = await context.newPage();
  const { url } = await demo.parley.ok<{ url: string }>('POST', '/api/sign-in-links', {});
  await page.goto(url);
  await page.getByRole('banner').first().waitFor();
  return page;
}

async function newContext(browser: Browser, theme: Theme, width: number): Promise<BrowserContext> {
  const isPhone = width < 500;
  const context = await browser.newContext({
    colorScheme: theme,
    locale: isGerman ? 'de-DE' : 'en-US',
    reducedMotion: 'reduce',
    viewport: { width, height: isPhone ? 740 : 900 },
    ...(isPhone && { hasTouch: true, isMobile: true }),
  });
  context.setDefaultTimeout(30_000);
  return context;
}

/** A page that cannot be prepared is named at the end and does not keep the others from being taken. */
async function take(page: Page, demo: DemoData, shot: Shot, name: string): Promise<void> {
  try {
    await page.unrouteAll();
    await page.goto('about:blank');
    await page.goto(demo.parley.url + shot.at);
    await page.locator('main').first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined);
    await shot.prepare?.(page);
    await page.evaluate('document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 400)))');
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
}
