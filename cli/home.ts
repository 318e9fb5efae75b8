import { homedir } from 'node:os';
import path from 'node:path';
import { CommandFailure, EXIT_USAGE } from './failure.ts';

/** The data folder: --home, PARLEY_HOME, or ~/.parley. */
export function resolveHome(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  if (option === '') throw new CommandFailure('--home needs a folder.', EXIT_USAGE);
  const wanted = option || env.PARLEY_HOME || path.join(homedir(), '.parley');
  return path.resolve(wanted.replace(/^~(?=$|[/\\])/, homedir()));
}

export function serverFile(home: string): string {
  return path.join(home, 'server.json');
}

export function tokenFile(home: string): string {
  return path.join(home, 'token');
}
