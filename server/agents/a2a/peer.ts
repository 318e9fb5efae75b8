import { createHash } from 'node:crypto';
import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import { canonicalJson } from '../../tools/canonical-json.ts';
import { createGuardedFetch } from '../../tools/guarded-fetch-stream.ts';
import type { AgentDeps } from '../agent.ts';
import { TextAgentFailure } from '../text-agent.ts';
import type { A2aSettings } from './settings.ts';

const MAX_CARD_CHARACTERS = 256_000;
const LEGACY = { legacyCompat: { enabled: true } };

/** A card as its server sent it, with a hash that stays the same as long as nothing in it changes. */
export interface FetchedCard {
  readonly card: unknown;
  readonly hash: string;
}

/** A connection to a remote agent whose card is the one that was approved. */
export interface Peer {
  readonly client: Client;
  readonly streams: boolean;
  /** Whether its card says that it can be sent files of this type. */
  takes(mediaType: string): boolean;
}

type PeerDeps = Pick<AgentDeps, 'limits' | 'allowedHosts'>;

/** Throws `TextAgentFailure` when the card is another one than the owner has approved. */
export async function connect(settings: A2aSettings, deps: PeerDeps, signal: AbortSignal): Promise<Peer> {
  const fetchImpl = peerFetch(settings, deps);
  const { card, hash } = await fetchCard(settings, fetchImpl, signal);
  if (hash !== settings.cardHash) throw cardChanged();
  const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } = await import(
    '@a2a-js/sdk/client'
  );
  const read = new DefaultAgentCardResolver(LEGACY).normalizeAgentCard(structuredClone(card));
  const transports = [JsonRpcTransportFactory, RestTransportFactory].map((Each) => new Each({ ...LEGACY, fetchImpl }));
  const factory = new ClientFactory({ transports, clientConfig: { polling: true } });
  const client = await factory.createFromAgentCard(ofVersion(read, settings));
  const modes = new Set([
    ...(read.defaultInputModes ?? []),
    ...(read.skills ?? []).flatMap((skill) => skill.inputModes),
  ]);
  const takes = (type: string) => [type, type.replace(/\/.*/, '/*'), '*/*'].some((mode) => modes.has(mode));
  return { client, streams: read.capabilities?.streaming === true, takes };
}

/** The card as it is now, approved or not. */
export async function readCard(settings: A2aSettings, deps: PeerDeps): Promise<FetchedCard> {
  return fetchCard(settings, peerFetch(settings, deps), AbortSignal.timeout(deps.limits().idleMs));
}

/** The key goes to the host that it was given for, whatever addresses the card names. */
function peerFetch(settings: A2aSettings, { limits, allowedHosts }: PeerDeps): typeof fetch {
  const { idleMs, modelEventBytes: maxEventBytes } = limits();
  const guarded = createGuardedFetch({ allowHosts: allowedHosts(), headersMs: idleMs, maxEventBytes });
  const { origin } = new URL(settings.cardUrl);
  const key = settings.apiKey();
  return (input, init) => {
    const request = new Request(input, init);
    if (key !== undefined && new URL(request.url).origin === origin) addKey(request.headers, settings, key);
    return guarded(request);
  };
}

function addKey(headers: Headers, { apiKeyHeader }: A2aSettings, key: string): void {
  if (apiKeyHeader === undefined) headers.set('Authorization', `Bearer ${key}`);
  else headers.set(apiKeyHeader, key);
}

async function fetchCard(settings: A2aSettings, fetchImpl: typeof fetch, signal: AbortSignal): Promise<FetchedCard> {
  const headers = { Accept: 'application/json', 'A2A-Version': settings.version ?? '1.0' };
  const response = await fetchImpl(settings.cardUrl, { headers, signal });
  const text = await response.text();
  if (!response.ok) throw unusableCard(`HTTP ${response.status}`);
  if (text.length > MAX_CARD_CHARACTERS) throw unusableCard('too large');
  try {
    const card: unknown = JSON.parse(text);
    if (typeof card !== 'object' || card === null) throw new Error('not an object');
    return { card, hash: createHash('sha256').update(canonicalJson(card)).digest('hex') };
  } catch (error) {
    throw unusableCard((error as Error).message);
  }
}

function ofVersion(card: AgentCard, { version }: A2aSettings): AgentCard {
  if (version === undefined) return card;
  const supportedInterfaces = card.supportedInterfaces.filter(({ protocolVersion }) =>
    protocolVersion.startsWith(version),
  );
  return { ...card, supportedInterfaces };
}

function cardChanged(): TextAgentFailure {
  return new TextAgentFailure(toTurnError('agent_card_changed', say('agent_card_changed'), true));
}

function unusableCard(reason: string): TextAgentFailure {
  return new TextAgentFailure(toTurnError('agent_card_unusable', say('agent_card_unusable', { reason }), true));
}
