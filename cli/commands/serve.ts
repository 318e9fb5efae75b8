import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LogLevel } from '../../contract/config.ts';
import type { RunningServer, ServerOptions } from '../../server/main.ts';
import { counted } from '../counted.ts';
import { CommandFailure } from '../failure.ts';
import { resolveHome } from '../home.ts';
import { note, print } from '../output.ts';
import { report } from '../report.ts';
import { safeLine } from '../terminal-text.ts';

interface ServeOptions {
  home?: string;
  host?: string;
  port?: number;
  logLevel?: LogLevel;
  logJson?: boolean;
  open: boolean;
}

export function define(command: Command): void {
  command
    .usage('[options]')
    .option('--home <folder>', 'the data folder (PARLEY_HOME; default ~/.parley)')
    .addOption(
      new Option('--port <number>', 'the port (PARLEY_PORT; default 4747); 0 for any free port').argParser(toPort),
    )
    .option('--host <address>', 'the address to listen on (PARLEY_HOST; default 127.0.0.1)')
    .addOption(
      new Option('--log-level <level>', 'how much to log on stderr (PARLEY_LOG_LEVEL)').choices([
        'debug',
        'info',
        'warn',
        'error',
        'silent',
      ]),
    )
    .option('--log-json', 'log JSON lines (default if stderr is not a terminal)')
    .option('--no-open', 'do not open the browser (PARLEY_NO_OPEN)')
    .addHelpText('after', EXAMPLES)
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const home = resolveHome(options.home);
  const stopAsked = waitForStop();
  const { host, port } = options;
  const server = await start({ home, host, port, logLevel: logLevel(home, options), logTo: readableLog(options) });
  print(`Parley is listening on ${server.url}`);
  if (process.stdout.isTTY) await welcome(server, options);
  const damage = await Promise.race([stopAsked, server.damaged]);
  await server.stop();
  // Whatever a client still holds open is not a reason to stay.
  process.exit(damage ? report(damage) : 0);
}

/** Ready before the server is: a signal during the start must not be lost. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}

async function start(options: ServerOptions): Promise<RunningServer> {
  const { startServer } = await import('../../server/main.ts');
  try {
    return await startServer(options);
  } catch (error) {
    throw explain(error);
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (error.code === 'EADDRINUSE')
    return new CommandFailure(
      `Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 for any free port).`,
    );
  if (error.code === 'EACCES' && port !== undefined)
    return new CommandFailure(`No permission to use port ${port}. Choose a port above 1023 with --port.`);
  if (error.code === 'EADDRNOTAVAIL')
    return new CommandFailure(`${address} is not an address of this machine. Leave --host out, or use 127.0.0.1.`);
  return error;
}

/** On a terminal the log of every request would bury what a person needs, unless it was asked for. */
function logLevel(home: string, { logLevel }: ServeOptions): LogLevel | undefined {
  if (logLevel || process.env.PARLEY_LOG_LEVEL || !process.stderr.isTTY || configuresLog(home)) return logLevel;
  return 'warn';
}

/** One readable line for each entry, where a person looks at it. */
function readableLog({ logJson }: ServeOptions): ((line: string) => void) | undefined {
  return logJson || !process.stderr.isTTY ? undefined : (line) => note(readableLogLine(line));
}

function configuresLog(home: string): boolean {
  try {
    return JSON.parse(readFileSync(path.join(home, 'parley.json'), 'utf8')).log?.level !== undefined;
  } catch {
    return false;
  }
}

async function welcome(server: RunningServer, { open }: ServeOptions): Promise<void> {
  const link = server.signInUrl();
  if (server.firstStart.length > 0) note(`Created ${server.home} with ${counted(server.firstStart.length, 'agent')}.`);
  const { canOpen, openBrowser } = await import('../open-browser.ts');
  note(`\nOpen it in your browser (this sign-in link works once, for one minute):\n  ${link}`);
  // Through npm the program is in a checkout, where only npx finds it.
  const program = process.env.npm_command ? 'npx parley' : 'parley';
  note(`Or chat in another terminal:\n  ${program} chat -a wisp/concierge -m "what's on today?"`);
  note(`\nPress Ctrl-C to stop. For a new link, run \`${program} open\`.`);
  if (open && canOpen()) openBrowser(server.home, link);
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError('Must be a number from 0 to 65535.');
}

const EXAMPLES = `
Examples:
  $ parley serve
  $ parley serve --port 0                    any free port; the first line shows it
  $ PARLEY_HOME=~/work-agents parley serve   another data folder with its own agents and sessions`;

interface LogLine {
  time?: number;
  level?: number;
  msg?: string;
  err?: { message?: string };
  issue?: string;
  issues?: string[];
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
}

/** A line of the server's log for a person at a terminal: when, how bad, what, and why. */
function readableLogLine(json: string): string {
  const line = JSON.parse(json) as LogLine;
  const time = new Date(line.time ?? Date.now()).toTimeString().slice(0, 8);
  return safeLine([time, levelOf(line), ...(line.method ? requestOf(line) : reasonOf(line))].filter(Boolean).join(' '));
}

function levelOf({ level = 30 }: LogLine): string {
  if (level >= 50) return 'error:';
  return level >= 40 ? 'warning:' : '';
}

function requestOf({ method, path, status, ms }: LogLine): string[] {
  return [`${method} ${path}`, `${status}`, `${ms} ms`];
}

function reasonOf({ msg, err, issue, issues }: LogLine): string[] {
  const reasons = [err?.message, issue, ...(issues ?? [])].filter((reason) => reason !== undefined);
  return [reasons.length === 0 ? (msg ?? '') : `${msg}: ${reasons.join('; ')}`];
}
