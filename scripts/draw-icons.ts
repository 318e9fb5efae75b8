// Draws the icons that an installed app has from `web/public/icon.svg`, beside it. For whoever changes that one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from '../test/browser/chromium.ts';

const PUBLIC = path.resolve(import.meta.dirname, '../web/public');
const SVG = readFileSync(path.join(PUBLIC, 'icon.svg'), 'utf8');
/** What a mask leaves is a circle of four fifths: the picture is a little smaller, and its ground reaches every corner. */
const MASKABLE = SVG.replace(' rx="14"', '')
  .replace('<path', '<g transform="translate(32 32) scale(.9) translate(-32 -33)"><path')
  .replace('</svg>', '</g></svg>');

const ICONS = [
  { name: 'icon-192.png', size: 192, svg: SVG },
  { name: 'icon-512.png', size: 512, svg: SVG },
  { name: 'icon-maskable-512.png', size: 512, svg: MASKABLE },
];

const { executablePath, args, env } = await findChromium();
const browser = await chromium.launch({
  executablePath,
  args,
  env: { ...process.env, ...env } as Record<string, string>,
});
try {
  for (const { name, size, svg } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
    await page.screenshot({ path: path.join(PUBLIC, name), omitBackground: true });
  }
} finally {
  await browser.close();
}
