import type { AgentPatch, AgentType } from '../../contract/agents.ts';
import { AGENT_KINDS } from '../agents/kinds.ts';
import { onlyNamesVariable } from './environment.ts';

/** Stands for a secret that is written out in a file. Sent back in a change, it means "the secret that is there". */
export const REDACTED = '…';

/** A place in a definition where a secret may stand, such as `chat.apiKey`. */
export interface Secret {
  readonly type: AgentType;
  readonly name: string;
  /** Undefined where the definition does not say; null where it clears what it would inherit. */
  readonly value: string | null | undefined;
  /** Where the agent would send it. */
  readonly host: string;
}

export function secretsOf(fields: AgentPatch): Secret[] {
  return AGENT_KINDS.flatMap(({ type, secrets, hostOf }) => {
    const written = fields[type] ?? {};
    const values = written as Readonly<Record<string, unknown>>;
    return secrets.map((name) => ({ type, name, value: asSecret(values[name]), host: hostOf(written) }));
  });
}

function asSecret(value: unknown): Secret['value'] {
  return typeof value === 'string' || value === null ? value : undefined;
}

export function secretOf(fields: AgentPatch, { type, name }: Pick<Secret, 'type' | 'name'>): Secret | undefined {
  return secretsOf(fields).find((secret) => secret.type === type && secret.name === name);
}

/** A copy in which a secret shows only if it is the `${NAME}` of a variable. */
export function redact<Definition extends AgentPatch>(definition: Definition): Definition {
  return withSecrets(definition, ({ value }) => (value && !onlyNamesVariable(value) ? REDACTED : value));
}

/** What clients are shown instead of a secret comes back when they send a whole form: the secret stays. */
export function withoutRedacted(patch: AgentPatch): AgentPatch {
  return withSecrets(patch, ({ value }) => (value === REDACTED ? undefined : value));
}

export function sendsSecret(patch: AgentPatch): boolean {
  return secretsOf(patch).some(({ value }) => value !== undefined && value !== REDACTED);
}

function withSecrets<Definition extends AgentPatch>(
  definition: Definition,
  replace: (secret: Secret) => Secret['value'],
): Definition {
  const copy = structuredClone(definition);
  for (const secret of secretsOf(copy)) {
    const settings = copy[secret.type] as Record<string, unknown> | null | undefined;
    const value = replace(secret);
    if (!settings || value === secret.value) continue;
    if (value === undefined) delete settings[secret.name];
    else settings[secret.name] = value;
  }
  return copy;
}
