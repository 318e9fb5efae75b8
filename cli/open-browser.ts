import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Only on a terminal with a display, and unless the environment says not to. */
export function canOpen(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.PARLEY_NO_OPEN || env.CI || !process.stdout.isTTY) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return !env.SSH_CONNECTION;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * Opens a sign-in link. Other users can read the arguments of programs, so the browser is given a file that only this
 * user can read and that leads to the link. Where there is no browser, the link on the screen has to do.
 */
export function openBrowser(home: string, link: string): void {
  const page = path.join(home, 'sign-in.html');
  try {
    writeRedirect(page, link);
  } catch {
    return;
  }
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program!, [...args, page], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** The mode counts only for a new file; an old one is closed to others before the link is in it. */
function writeRedirect(page: string, link: string): void {
  writeFileSync(page, '', { mode: 0o600 });
  chmodSync(page, 0o600);
  const target = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
      `<meta http-equiv="refresh" content="0; url=${target}"><title>Parley</title><a href="${target}">Sign in to Parley</a>\n`,
  );
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
