import { existsSync } from 'node:fs';
import puppeteer, { type KeyInput, type Page } from 'puppeteer-core';
import type { DrivenBrowser } from './driven-browser.ts';

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** Where Firefox is installed; `FIREFOX_PATH` names another place. */
export function findFirefox(): string | undefined {
  return [process.env.FIREFOX_PATH ?? '', ...PLACES].find((place) => place !== '' && existsSync(place));
}

/** Over WebDriver BiDi, which Firefox speaks itself. */
export async function openFirefox(executablePath: string): Promise<DrivenBrowser> {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
  const page = await browser.newPage();
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    type: (text) => page.keyboard.type(text),
    press: async (keys) => {
      const [key, ...held] = keys.split('+').reverse() as [KeyInput, ...KeyInput[]];
      for (const modifier of held) await page.keyboard.down(modifier);
      await page.keyboard.press(key);
      for (const modifier of held) await page.keyboard.up(modifier);
    },
    resize: (width, height) => resize(page, width, height),
    close: () => browser.close(),
  };
}

/** Firefox 140 knows no orientation of a screen, which is set together with the size: the size is set nevertheless. */
async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewport({ width, height }).catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes('setScreenOrientationOverride'))) throw error;
  });
  for (let tries = 0; tries < 100; tries++) {
    if ((await page.evaluate('innerWidth')) === width) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Firefox did not become ${width} pixels wide`);
}
