import type { AgentTextKey } from '../i18n/en.ts';

/** What an agent can be, as people tell them apart. Several kinds share a `type` and differ in their provider. */
export const KINDS = ['model', 'claude', 'codex', 'pi', 'acp', 'a2a', 'external'] as const;
export type Kind = (typeof KINDS)[number];

export type KindType = 'chat' | 'acp' | 'a2a' | 'external';

interface KindFields {
  readonly type: KindType;
  /** Its settings to begin with. */
  readonly beginning: { readonly provider?: string };
}

/** Their settings stand in the field of their type. */
export const KIND_FIELDS: Readonly<Record<Kind, KindFields>> = {
  model: { type: 'chat', beginning: { provider: 'openai' } },
  claude: { type: 'chat', beginning: { provider: 'claude-cli' } },
  codex: { type: 'chat', beginning: { provider: 'codex-cli' } },
  pi: { type: 'chat', beginning: { provider: 'pi-cli' } },
  acp: { type: 'acp', beginning: {} },
  a2a: { type: 'a2a', beginning: {} },
  external: { type: 'external', beginning: {} },
};

export function kindTitle(kind: Kind): AgentTextKey {
  return `agents.kind.${kind}`;
}

/** What it is and what it needs. */
export function kindHint(kind: Kind): AgentTextKey {
  return `agents.kindHint.${kind}`;
}

export function isKind(name: unknown): name is Kind {
  return KINDS.some((kind) => kind === name);
}

/** The definition of a new agent of a kind, without its name. */
export function beginningOf(kind: Kind): object {
  const { type, beginning } = KIND_FIELDS[kind];
  return type === 'chat' ? { chat: beginning } : { type, [type]: beginning };
}
