import { spawn } from 'node:child_process';

/** Only where somebody can see it: a terminal with a display, and nobody said not to. */
export function canOpen(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.PARLEY_NO_OPEN || env.CI || !process.stdout.isTTY) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return !env.SSH_CONNECTION;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** When there is no browser to be had, the link on the screen has to do. */
export function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program!, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
