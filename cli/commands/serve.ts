import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LogLevel } from '../../contract/config.ts';
import type { RunningServer, ServerOptions } from '../../server/main.ts';
import { CommandFailure } from '../failure.ts';
import { resolveHome } from '../home.ts';
import { note, print } from '../output.ts';

interface ServeOptions {
  home?: string;
  host?: string;
  port?: number;
  logLevel?: LogLevel;
  open: boolean;
}

export function define(command: Command): void {
  command
    .usage('[options]')
    .option('--home <folder>', 'the data folder (PARLEY_HOME; default ~/.parley)')
    .addOption(
      new Option('--port <number>', 'the port (PARLEY_PORT; default 4747), 0 for any that is free').argParser(toPort),
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
    .option('--no-open', 'do not open the browser (PARLEY_NO_OPEN)')
    .addHelpText('after', EXAMPLES)
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const home = resolveHome(options.home);
  const stopAsked = waitForStop();
  const server = await start({ home, host: options.host, port: options.port, logLevel: logLevel(home, options) });
  print(`Parley is listening on ${server.url}`);
  if (process.stdout.isTTY) await welcome(server, options);
  await stopAsked;
  await server.stop();
  // Whatever a client still holds open is not a reason to stay.
  process.exit(0);
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
      `Port ${port} is in use. Stop what uses it, or choose another with --port (0: any that is free).`,
    );
  if (error.code === 'EACCES' && port !== undefined)
    return new CommandFailure(`Port ${port} may not be used without more rights. Choose one above 1023 with --port.`);
  if (error.code === 'EADDRNOTAVAIL')
    return new CommandFailure(`${address} is not an address of this machine. Leave --host out, or use 127.0.0.1.`);
  return error;
}

/** On a terminal the log of every request would bury what a person needs, unless it was asked for. */
function logLevel(home: string, { logLevel }: ServeOptions): LogLevel | undefined {
  if (logLevel || process.env.PARLEY_LOG_LEVEL || !process.stderr.isTTY || configuresLog(home)) return logLevel;
  return 'warn';
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
  if (server.firstStart.length > 0) note(`Made ${server.home} with ${server.firstStart.length} agents to begin with.`);
  const { canOpen, openBrowser } = await import('../open-browser.ts');
  const opens = open && canOpen();
  note(`\nOpen it in the browser (this link signs you in, once):\n  ${link}`);
  // Through npm the program is in a checkout, where only npx finds it.
  const program = process.env.npm_command ? 'npx parley' : 'parley';
  note(`Or talk here, in another terminal:\n  ${program} chat -a wisp/concierge -m "what's on today?"`);
  note(`\nCtrl-C stops it. \`${program} open\` makes a new link.`);
  if (opens) openBrowser(link);
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

const EXAMPLES = `
Examples:
  $ parley serve
  $ parley serve --port 0                    any free port; the first line says which
  $ PARLEY_HOME=~/work-agents parley serve   another data folder: other agents, other sessions`;
