import path from 'node:path';
import type { McpServer } from '../../../contract/config.ts';
import { cleanEnvironment, isForbiddenVariable } from '../../processes/environment.ts';
import type { ProcessRegistry } from '../../processes/registry.ts';
import { type Environment, expand, expandAll } from './expand.ts';
import { ServerFailure } from './failure.ts';
import { HttpTransport } from './http-transport.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportParts {
  readonly settings: McpServer;
  /** What Parley was started with. A server sees the little it needs of it, and what its settings name. */
  readonly environment: Environment;
  /** Where servers are started that do not say otherwise. */
  readonly folder?: string | undefined;
  readonly registry?: ProcessRegistry | undefined;
}

/** Nothing is started or reached yet. Throws `ServerFailure` when the settings cannot work. */
export function openTransport(parts: TransportParts): StdioTransport | HttpTransport {
  const { settings, environment } = parts;
  if (settings.url === undefined) return openStdio(parts);
  const url = URL.parse(expand(settings.url, environment));
  if (!url) throw new ServerFailure('Its url is not an address.');
  const { allowPrivateNetwork } = settings;
  return new HttpTransport({ url, headers: headersOf(parts), allowPrivateNetwork });
}

/** Checked here, because whoever finds fault with a header later may repeat what is in it. */
function headersOf({ settings, environment }: TransportParts): Headers {
  const headers = expandAll(settings.headers, environment);
  try {
    return new Headers(headers);
  } catch {
    throw new ServerFailure('Its headers cannot be sent as they are.');
  }
}

function openStdio({ settings, environment, folder = '.', registry }: TransportParts): StdioTransport {
  const { command = '', args, env, cwd = '.' } = settings;
  const forbidden = Object.keys(env).filter(isForbiddenVariable);
  if (forbidden.length > 0) {
    throw new ServerFailure(`Its env names ${forbidden.join(', ')}, which no program is ever given.`);
  }
  return new StdioTransport({
    command,
    args: args.map((arg) => expand(arg, environment)),
    cwd: path.resolve(folder, cwd),
    env: cleanEnvironment(environment, expandAll(env, environment)),
    registry,
  });
}
