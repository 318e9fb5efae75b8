import { existsSync } from 'node:fs';
import puppeteer, { type KeyInput } from 'puppeteer-core';
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
    resize: (width, height) => page.setViewport({ width, height }),
    close: () => browser.close(),
  };
}
