import type { AgentTextKey } from '../../i18n/en.ts';

export type Control =
  | 'text'
  | 'long'
  | 'number'
  | 'choice'
  | 'flag'
  | 'list'
  | 'lines'
  | 'approvals'
  | 'agent'
  | 'base';

export interface Field {
  readonly path: readonly string[];
  readonly control: Control;
  readonly label: AgentTextKey;
  readonly hint?: AgentTextKey;
  readonly rows?: number;
  readonly step?: number;
}

export interface FieldGroup {
  readonly title: AgentTextKey;
  readonly fields: readonly Field[];
  /** Most people never need it: folded away until there is something in it. */
  readonly isSpecial?: true;
}

type FieldName = AgentTextKey extends infer Key ? (Key extends `agents.field.${infer Name}` ? Name : never) : never;

/** The form, from top to bottom. What is not here can be written as JSON. */
export const GROUPS: readonly FieldGroup[] = [
  {
    title: 'agents.group.identity',
    fields: [
      field('agentId', 'text', { hint: 'agents.hint.agentId' }),
      field('displayName', 'text'),
      field('description', 'text', { hint: 'agents.hint.description' }),
      field('icon', 'text', { hint: 'agents.hint.icon' }),
      field('color', 'text', { hint: 'agents.hint.color' }),
      field('welcomeMessage', 'long', { rows: 2 }),
      field('starters', 'lines', { rows: 2, hint: 'agents.hint.starters' }),
    ],
  },
  {
    title: 'agents.group.model',
    fields: [
      field('chat.provider', 'choice'),
      field('chat.model', 'text', { hint: 'agents.hint.model' }),
      field('chat.baseUrl', 'text', { hint: 'agents.hint.baseUrl' }),
      field('chat.apiKey', 'text', { hint: 'agents.hint.apiKey' }),
    ],
  },
  {
    title: 'agents.group.instructions',
    fields: [field('systemPrompt', 'long', { rows: 10, hint: 'agents.hint.systemPrompt' })],
  },
  {
    title: 'agents.group.place',
    fields: [
      field('extends', 'base', { hint: 'agents.hint.extends' }),
      field('parentAgentId', 'agent', { hint: 'agents.hint.parentAgentId' }),
      field('uiVisible', 'flag'),
      field('apiExposed', 'flag'),
    ],
  },
  {
    title: 'agents.group.tools',
    fields: [
      field('toolAllowlist', 'list', { hint: 'agents.hint.patterns' }),
      field('toolDenylist', 'list'),
      field('approvals', 'approvals', { hint: 'agents.hint.approvals' }),
      field('agentAllowlist', 'list'),
      field('agentDenylist', 'list'),
    ],
  },
  {
    title: 'agents.group.scope',
    isSpecial: true,
    fields: [
      field('capabilityAllowlist', 'list'),
      field('capabilityDenylist', 'list'),
      field('toolExposure', 'choice'),
      field('skillAllowlist', 'list'),
      field('skillDenylist', 'list'),
    ],
  },
  {
    title: 'agents.group.delegation',
    isSpecial: true,
    fields: [
      field('delegation.tags', 'flag', { hint: 'agents.hint.tags' }),
      field('delegation.rounds', 'number', { step: 1 }),
      field('delegation.ceiling', 'choice', { hint: 'agents.hint.ceiling' }),
    ],
  },
  {
    title: 'agents.group.tuning',
    isSpecial: true,
    fields: [
      field('chat.temperature', 'number', { step: 0.1 }),
      field('chat.maxTokens', 'number', { step: 1 }),
      field('chat.reasoningEffort', 'choice'),
      field('chat.contextWindow', 'number', { step: 1000 }),
      field('chat.compactionThreshold', 'number', { step: 0.05 }),
    ],
  },
];

function field(name: FieldName, control: Control, more: Pick<Field, 'hint' | 'rows' | 'step'> = {}): Field {
  return { path: name.split('.'), control, label: `agents.field.${name}`, ...more };
}

/** What the form calls the field at a path, or the field around it; undefined for what the form does not have. */
export function labelAt(path: readonly (string | number)[]): AgentTextKey | undefined {
  const fields = GROUPS.flatMap((group) => group.fields);
  return fields.find((field) => field.path.every((key, index) => path[index] === key))?.label;
}
