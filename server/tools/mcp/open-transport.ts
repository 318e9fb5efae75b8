import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { McpServer } from '../../../contract/config.ts';
import { cleanEnvironment, isForbiddenVariable } from '../../processes/environment.ts';
import type { ProcessRegistry } from '../../processes/registry.ts';
import { type Environment, expand, expandAll } from './expand.ts';
import { ServerFailure } from './failure.ts';
import { HttpTransport } from './http-transport.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportDeps {
  readonly settings: McpServer;
  /** What Parley was started with. A server sees the little it needs of it, and what its settings name. */
  readonly environment: Environment;
  readonly name: string;
  /** The data folder. Servers that name no `cwd` start in a folder of their own in it. */
  readonly folder?: string | undefined;
  readonly registry?: ProcessRegistry | undefined;
}

/** Nothing is started or reached yet. Throws `ServerFailure` when the settings cannot work. */
export function openTransport(deps: TransportDeps): StdioTransport | HttpTransport {
  const { settings, environment } = deps;
  if (settings.url === undefined) return openStdio(deps);
  const url = URL.parse(expand(settings.url, environment));
  if (!url) throw new ServerFailure('Its url is not a valid URL.');
  const { allowPrivateNetwork } = settings;
  return new HttpTransport({ url, headers: headersOf(deps), allowPrivateNetwork });
}

/** Checked here, because a later error message about a header could quote the secret in it. */
function headersOf({ settings, environment }: TransportDeps): Headers {
  const headers = expandAll(settings.headers, environment);
  try {
    return new Headers(headers);
  } catch {
    throw new ServerFailure('Its headers are not valid.');
  }
}

function openStdio({ settings, environment, name, folder = '.', registry }: TransportDeps): StdioTransport {
  const { command = '', args, env } = settings;
  const forbidden = Object.keys(env).filter(isForbiddenVariable);
  if (forbidden.length > 0) {
    throw new ServerFailure(`Its env sets ${forbidden.join(', ')}, which is not allowed.`);
  }
  return new StdioTransport({
    command,
    args: args.map((arg) => expand(arg, environment)),
    cwd: settings.cwd === undefined ? ownFolder(folder, name) : configuredFolder(folder, settings.cwd),
    env: cleanEnvironment(environment, expandAll(env, environment)),
    registry,
  });
}

/** Away from the credential and the database, which lie at the top of the data folder. */
function ownFolder(home: string, name: string): string {
  const folder = path.join(home, 'mcp', name.replaceAll(/[^A-Za-z0-9_-]/g, '+'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function configuredFolder(home: string, cwd: string): string {
  const folder = path.resolve(home, cwd);
  const [there, data] = [folder, home].map((place) => statSync(place, { throwIfNoEntry: false }));
  if (there && data && there.dev === data.dev && there.ino === data.ino)
    throw new ServerFailure('Its cwd must not be the data folder.');
  return folder;
}
