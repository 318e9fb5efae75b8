import { isObject, type JsonObject } from '../../features/agent-editor/json-value.ts';

/** The parts of a remote agent's card that a person judges. Cards come from strangers: whatever is not as it should be is left out. */
export interface CardSummary {
  readonly name: string;
  readonly description: string;
  readonly provider: string;
  readonly version: string;
  readonly skills: readonly CardSkill[];
  readonly endpoints: readonly CardEndpoint[];
  /** How a client signs in, by the names of the card. */
  readonly signIn: readonly string[];
}

interface CardSkill {
  readonly name: string;
  readonly description: string;
}

interface CardEndpoint {
  readonly url: string;
  /** Such as `JSONRPC 1.0`. */
  readonly protocol: string;
}

const MOST = 100;

export function readCard(card: unknown): CardSummary {
  const fields = isObject(card) ? card : {};
  const provider = isObject(fields.provider) ? fields.provider : {};
  return {
    name: words(fields.name),
    description: words(fields.description),
    provider: [words(provider.organization), words(provider.url)].filter(Boolean).join(' · '),
    version: words(fields.version),
    skills: objects(fields.skills).map((skill) => ({
      name: words(skill.name) || words(skill.id),
      description: words(skill.description),
    })),
    endpoints: endpointsOf(fields),
    signIn: isObject(fields.securitySchemes) ? Object.entries(fields.securitySchemes).slice(0, MOST).map(toScheme) : [],
  };
}

/** Version 1.0 lists them all; 0.3 has one, and further ones beside it. */
function endpointsOf(card: JsonObject): CardEndpoint[] {
  const own = { url: card.url!, transport: card.preferredTransport!, protocolVersion: card.protocolVersion! };
  const all = [...(card.url ? [own] : []), ...objects(card.supportedInterfaces), ...objects(card.additionalInterfaces)];
  return all.slice(0, MOST).map((one: JsonObject) => ({
    url: words(one.url),
    protocol: [words(one.protocolBinding) || words(one.transport), words(one.protocolVersion)]
      .filter(Boolean)
      .join(' '),
  }));
}

function toScheme([name, scheme]: [string, unknown]): string {
  const kind = isObject(scheme) ? words(scheme.type) || Object.keys(scheme)[0] : '';
  return kind ? `${name} (${kind})` : name;
}

function objects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.slice(0, MOST).filter(isObject) : [];
}

function words(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 4000) : '';
}
