import type { ServerSettings } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

type NameSettings = Pick<ServerSettings, 'allowedHosts' | 'publicUrl'>;

/** Names under which this server may be addressed: a page that made a name of its own point here gets nothing. */
export class HostCheck {
  readonly #settings: () => NameSettings;
  #known: { settings: NameSettings; port: number; authorities: Set<string> } | undefined;
  /** Known once the server listens. */
  port = 0;

  constructor(settings: () => NameSettings) {
    this.#settings = settings;
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
    const settings = this.#settings();
    if (this.#known?.settings !== settings || this.#known.port !== this.port) {
      this.#known = { settings, port: this.port, authorities: authoritiesOf(settings, this.port) };
    }
    return this.#known.authorities;
  }
}

function authoritiesOf({ allowedHosts, publicUrl }: NameSettings, port: number): Set<string> {
  const names = [...LOOPBACK_NAMES, ...allowedHosts].map((name) => name.toLowerCase());
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`, ...bare(name)]));
  return new Set(publicUrl === undefined ? own : [...own, new URL(publicUrl).host]);
}

/** A configured name may stand for a proxy in front, which uses its own port; loopback names always need ours. */
function bare(name: string): string[] {
  return LOOPBACK_NAMES.includes(name) ? [] : [name];
}
