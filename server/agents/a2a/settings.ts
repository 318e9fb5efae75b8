import type { A2aVersion, A2aSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import { say, type Text } from '../../../contract/texts.ts';
import { type Environment, expand } from '../../config/environment.ts';

/** What an A2A agent is reached with: defaults filled in, variables read. */
export interface A2aSettings {
  /** Of its card. Empty only for an agent that is unavailable because none is named. */
  readonly cardUrl: string;
  /** A function, so that no log, error or answer can carry the key by accident. */
  readonly apiKey: () => string | undefined;
  readonly apiKeyHeader: string | undefined;
  readonly version: A2aVersion | undefined;
  /** How long it can tell nothing new; undefined: as long as it says that it works. */
  readonly idleMs: number | undefined;
  /** How long a task can take. */
  readonly taskMs: number;
  /** Of the card that the owner has approved. */
  readonly cardHash: string | undefined;
}

const WEEK_SECONDS = 7 * 24 * 3600;

const CARD_PATH = '.well-known/agent-card.json';

/** Where the key is sent to: the origin of the card. */
export function hostOf({ url, card }: Pick<WrittenSettings, 'url' | 'card'>): string {
  const address = card ?? url ?? '';
  return URL.canParse(address) ? new URL(address).origin : address;
}

export function resolveA2a(written: WrittenSettings, env: Environment): { settings: A2aSettings; problems: Text[] } {
  const address = written.card ? fill(written.card, 'a2a.card', env) : fill(written.url ?? '', 'a2a.url', env);
  const key = fill(written.apiKey ?? '', 'a2a.apiKey', env);
  const cardUrl = toCardUrl(address.value, Boolean(written.card));
  const settings: A2aSettings = {
    cardUrl: cardUrl ?? '',
    apiKey: () => key.value || undefined,
    apiKeyHeader: written.apiKeyHeader ?? undefined,
    version: written.version ?? undefined,
    idleMs: written.idleSeconds ? written.idleSeconds * 1000 : undefined,
    taskMs: (written.taskSeconds ?? WEEK_SECONDS) * 1000,
    cardHash: written.cardHash ?? undefined,
  };
  return { settings, problems: problemsOf(settings, [address, key]) };
}

interface Filled {
  value: string;
  problem?: Text;
}

function fill(text: string, field: string, env: Environment): Filled {
  const { value, missing } = expand(text, env);
  if (missing.length === 0) return { value };
  return { value: '', problem: say('unavailable.variables', { variables: missing.join(', '), field }) };
}

/** An agent below a path has its card below that path, whether or not the path ends with a slash. */
function toCardUrl(address: string, isCard: boolean): string | undefined {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return undefined;
  if (isCard) return url.href;
  url.pathname = url.pathname.replace(/\/*$/, '/');
  return new URL(CARD_PATH, url).href;
}

function problemsOf({ cardUrl, cardHash }: A2aSettings, filled: readonly Filled[]): Text[] {
  const missing = filled.flatMap(({ problem }) => problem ?? []);
  if (missing.length > 0) return missing;
  if (cardUrl === '') return [say('unavailable.a2aUrl')];
  return cardHash === undefined ? [say('unavailable.card')] : [];
}
