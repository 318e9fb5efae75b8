import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Names under which this server may be addressed: a page that made a name of its own point here gets nothing. */
export class HostCheck {
  readonly #allowedHosts: () => readonly string[];
  #known: { allowed: readonly string[]; port: number; authorities: Set<string> } | undefined;
  /** Known once the server listens. */
  port = 0;

  constructor(allowedHosts: () => readonly string[]) {
    this.#allowedHosts = allowedHosts;
  }

  assertHost(host: string | undefined): void {
    if (host && this.#authorities().has(host.toLowerCase())) return;
    throw new AppError('host_not_allowed', say('host_not_allowed'));
  }

  /** Programs send neither header. A browser sends one of them with everything another site could make it send. */
  assertOrigin(origin: string | undefined, fetchSite: string | undefined): void {
    const siteIsOurs = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';
    if (siteIsOurs && (origin === undefined || this.#isOurs(origin))) return;
    throw new AppError('origin_not_allowed', say('origin_not_allowed'));
  }

  #isOurs(origin: string): boolean {
    const match = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase());
    return match !== null && this.#authorities().has(match[1]!);
  }

  /** Made anew only when the configuration or the port is another. */
  #authorities(): Set<string> {
    const allowed = this.#allowedHosts();
    if (this.#known?.allowed !== allowed || this.#known.port !== this.port) {
      this.#known = { allowed, port: this.port, authorities: authoritiesOf(allowed, this.port) };
    }
    return this.#known.authorities;
  }
}

function authoritiesOf(allowed: readonly string[], port: number): Set<string> {
  const names = [...LOOPBACK_NAMES, ...allowed].map((name) => name.toLowerCase());
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`, ...bare(name)])));
}

/** A configured name may stand for a proxy in front, which uses its own port; loopback names always need ours. */
function bare(name: string): string[] {
  return LOOPBACK_NAMES.includes(name) ? [] : [name];
}
