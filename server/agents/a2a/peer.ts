import { createHash } from 'node:crypto';
import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import { canonicalJson } from '../../tools/canonical-json.ts';
import { createGuardedFetch } from '../../tools/guarded-fetch-stream.ts';
import type { AgentDeps } from '../agent.ts';
import { TextAgentFailure } from '../text-agent.ts';
import { Absence, untilThere } from './absence.ts';
import { type AnnounceWait, patientFetch } from './patient-fetch.ts';
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
  /** A stream that is silent for this long may be broken: the task is asked about. */
  readonly quietMs: number;
  /** How long it can be away while it works on a task. */
  readonly awayMs: number;
  announce: AnnounceWait;
  /** When the last wait that it has asked for is over, by `performance.now()`. */
  waitsUntil(): number;
  /** Whether its card says that it can be sent files of this type. */
  takes(mediaType: string): boolean;
}

type PeerDeps = Pick<AgentDeps, 'limits' | 'allowedHosts'>;

/** What a connection is opened for. */
export interface Connecting {
  readonly signal: AbortSignal;
  /** The peer has a task already: it is waited for when it is away. */
  readonly hasTask: boolean;
  announce: AnnounceWait;
}

/** Throws `TextAgentFailure` when the card is another one than the owner has approved. */
export async function connect(settings: A2aSettings, deps: PeerDeps, connecting: Connecting): Promise<Peer> {
  const { announce, hasTask, signal } = connecting;
  const { idleMs: quietMs, unreachableMs: awayMs } = deps.limits();
  let waitsUntil = 0;
  const fetchImpl = peerFetch(settings, deps, (code, waitMs) => {
    waitsUntil = performance.now() + waitMs;
    announce(code, waitMs);
  });
  const read = () => fetchCard(settings, fetchImpl, signal);
  const { card, hash } = await (hasTask ? untilThere(new Absence(awayMs, signal, announce), read) : read());
  if (hash !== settings.cardHash) throw cardChanged();
  return { ...(await openClient(card, settings, fetchImpl)), quietMs, awayMs, announce, waitsUntil: () => waitsUntil };
}

async function openClient(
  card: unknown,
  settings: A2aSettings,
  fetchImpl: typeof fetch,
): Promise<Pick<Peer, 'client' | 'streams' | 'takes'>> {
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
  const { idleMs, retryAfterMs } = deps.limits();
  return fetchCard(
    settings,
    peerFetch(settings, deps, () => {}),
    AbortSignal.timeout(idleMs + retryAfterMs),
  );
}

/** The key goes to the host that it was given for, whatever addresses the card names. */
function peerFetch(settings: A2aSettings, { limits, allowedHosts }: PeerDeps, announce: AnnounceWait): typeof fetch {
  const { idleMs, modelEventBytes: maxEventBytes, modelAttempts: attempts, retryAfterMs: mostMs } = limits();
  const guarded = createGuardedFetch({ allowHosts: allowedHosts(), headersMs: idleMs, maxEventBytes });
  const { origin } = new URL(settings.cardUrl);
  const key = settings.apiKey();
  const send: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    if (key !== undefined && new URL(request.url).origin === origin) addKey(request.headers, settings, key);
    return guarded(request);
  };
  return patientFetch(send, { attempts, mostMs, announce });
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
