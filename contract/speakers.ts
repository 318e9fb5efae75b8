import type { Speaker } from './messages.ts';

interface Attributed {
  readonly role: string;
  readonly agent: string | null;
  readonly parts?: readonly { readonly type: string; readonly from?: unknown; readonly name?: unknown }[];
  /** Where the parts are not at hand: the agent that asked for the work that the message is about. */
  readonly from?: string | null | undefined;
  /** The same: the webhook whose request it was. */
  readonly webhook?: string | null | undefined;
}

const PERSON: Speaker = { kind: 'person', agent: null, to: null };
const UNKNOWN: Speaker = { kind: 'unknown', agent: null, to: null };

/** The one place that decides who said a message: every view, export, search, summary and share asks here. */
export function speakerOf(message: Attributed): Speaker {
  const { role, agent } = message;
  if (role === 'delegation') return { kind: 'task', agent: askerOf(message), to: agent };
  if (role === 'user') {
    if (agent === null) return withoutAgent(message);
    return { kind: askerOf(message) === null ? 'task' : 'result', agent, to: null };
  }
  return agent === null ? UNKNOWN : { kind: 'agent', agent, to: null };
}

/** A user message that no agent sent: the person's, or made of a request to a webhook. */
function withoutAgent({ webhook, parts = [] }: Attributed): Speaker {
  const part = parts.find(({ type }) => type === 'webhook');
  const name = webhook || (typeof part?.name === 'string' && part.name);
  return name ? { kind: 'webhook', agent: null, to: null, webhook: name } : PERSON;
}

/** The agent that asked for the work that a message gives or reports on; null when it is about none. */
function askerOf({ from, parts = [] }: Attributed): string | null {
  const part = parts.find(({ type }) => type === 'delegation');
  return from || (typeof part?.from === 'string' && part.from) || null;
}

/**
 * A speaker in plain words, for transcripts, exports and terminals. `nameOf` gives an agent's name; the words for the
 * person and for unnamed messages are not available as names of agents.
 */
export function speakerLabel(
  { kind, agent, to, webhook = '' }: Speaker,
  nameOf: (agentId: string) => string = agentLabel,
): string {
  const name = agent === null ? 'Assistant' : nameOf(agent);
  switch (kind) {
    case 'person':
      return 'User';
    case 'webhook':
      return `Webhook "${webhook}"`;
    case 'task':
      return to === null ? `${name} (task)` : `${name} (task for ${nameOf(to)})`;
    case 'result':
      return `${name} (result)`;
    case 'agent':
    case 'unknown':
      return name;
    default:
      return kind satisfies never;
  }
}

/** An agent by its id. Imported sessions may hold agents whose ids are reserved words: those are marked as agents. */
export function agentLabel(agentId: string): string {
  return isReservedId(agentId) ? `agent "${agentId}"` : agentId;
}

/** Words that mean the person, the software or an unnamed speaker wherever names are shown. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  'user assistant you system human person me tool parley benutzer assistent du sie ich mensch'.split(' '),
);

/** Ids hold only ASCII letters and digits; `agent-names.ts` compares names of every kind. */
export function isReservedId(agentId: string): boolean {
  return RESERVED_NAMES.has(agentId.toLowerCase());
}
