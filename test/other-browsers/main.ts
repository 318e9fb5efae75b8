// `npm run test:browsers [firefox|webkit]`: the main flows in other browsers. One that is not installed is skipped.
import type { DrivenBrowser } from './driven-browser.ts';
import { findFirefox, openFirefox } from './firefox.ts';
import { runFlows } from './flows.ts';
import { findWebKit, openWebKit } from './webkit.ts';

interface Kind {
  readonly name: string;
  readonly found: string | undefined;
  /** What brings it. */
  readonly packages: string;
  open(place: string): Promise<DrivenBrowser>;
}

const KINDS: readonly Kind[] = [
  { name: 'Firefox', found: findFirefox(), packages: 'firefox-esr', open: openFirefox },
  { name: 'WebKit', found: findWebKit(), packages: 'webkit2gtk-driver xvfb', open: openWebKit },
];

const wanted = process.argv.slice(2);
let failures = 0;
for (const { name, found, packages, open } of KINDS) {
  if (wanted.length > 0 && !wanted.includes(name.toLowerCase())) continue;
  if (found === undefined) {
    console.log(`${name}: skipped, it is not installed here (on Debian: apt-get install ${packages}).`);
    continue;
  }
  console.log(`${name} (${found})`);
  failures += (await runFlows(await open(found))).length;
}
console.log(failures === 0 ? 'Every flow passed.' : `${failures} failed.`);
process.exitCode = failures === 0 ? 0 : 1;
