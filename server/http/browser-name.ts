/** In the order in which they must be looked for: most browsers also name others. */
const BROWSERS: readonly [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS: readonly [string, RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** What a person calls a browser, from what it says about itself. */
export function browserName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 500);
  const browser = BROWSERS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'Unknown browser';
  const system = SYSTEMS.find(([, pattern]) => pattern.test(text))?.[0];
  return system ? `${browser} on ${system}` : browser;
}
