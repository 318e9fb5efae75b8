import { MODEL_PROVIDERS } from '../../../contract/agent-settings.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import type { Kind } from '../../state/agent-kinds.ts';
import { type JsonObject, valueAt } from './json-value.ts';

export type Control =
  | 'text'
  | 'long'
  | 'number'
  | 'choice'
  | 'flag'
  | 'list'
  | 'lines'
  | 'pairs'
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
  /** Its values can be `true` and `false`. */
  readonly hasFlags?: true;
  /** Shown in the empty box. */
  readonly example?: string;
  /** Which of the possible values are offered; all of them where this is absent. */
  readonly options?: readonly string[];
  /** What a value is called; without it, by itself. */
  readonly optionText?: (option: string) => AgentTextKey;
  /** Of which kinds it says something; of all where this is absent. */
  readonly kinds?: readonly Kind[];
}

export interface FieldGroup {
  readonly title: AgentTextKey;
  readonly fields: readonly Field[];
  /** Most people never need it: folded away until there is something in it. */
  readonly isSpecial?: true;
  readonly kinds?: readonly Kind[];
}

type More = Omit<Field, 'path' | 'control' | 'label'>;

const PROGRAMS = ['claude', 'codex', 'pi'] as const;
/** Those that run on this machine, with tools. */
const LOCAL = ['model', ...PROGRAMS, 'acp'] as const;

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
      field('chat.provider', 'choice', { options: MODEL_PROVIDERS, kinds: ['model'] }),
      field('chat.model', 'text', { hint: 'agents.hint.model', kinds: ['model', ...PROGRAMS] }),
      field('chat.baseUrl', 'text', { hint: 'agents.hint.baseUrl', kinds: ['model'] }),
      field('chat.apiKey', 'text', { hint: 'agents.hint.apiKey', kinds: ['model'], example: '${OPENAI_API_KEY}' }),
    ],
    kinds: ['model', ...PROGRAMS],
  },
  {
    title: 'agents.group.program',
    fields: [
      field('chat.cli.permissionMode', 'choice', {
        hint: 'agents.hint.permissionMode',
        optionText: (option) => `agents.choice.${option}` as AgentTextKey,
        kinds: ['claude', 'codex'],
      }),
      field('chat.cli.command', 'text', { hint: 'agents.hint.cliCommand' }),
      field('chat.cli.args', 'lines', { hint: 'agents.hint.cliArgs', rows: 2 }),
      field('chat.cli.env', 'pairs', { hint: 'agents.hint.env', rows: 2, example: 'NAME=${NAME}' }),
    ],
    kinds: PROGRAMS,
  },
  {
    title: 'agents.group.acp',
    fields: [
      field('acp.command', 'text', { hint: 'agents.hint.acpCommand', example: 'gemini' }),
      field('acp.args', 'lines', { hint: 'agents.hint.acpArgs', rows: 2, example: '--acp' }),
      field('acp.env', 'pairs', { hint: 'agents.hint.env', rows: 2, example: 'GEMINI_API_KEY=${GEMINI_API_KEY}' }),
      field('acp.authMethod', 'text', { hint: 'agents.hint.authMethod' }),
      field('acp.model', 'text', { hint: 'agents.hint.acpModel' }),
      field('acp.mode', 'text', { hint: 'agents.hint.acpMode' }),
      field('acp.guestMode', 'text', { hint: 'agents.hint.guestMode' }),
      field('acp.modes', 'pairs', { hint: 'agents.hint.acpModes', rows: 2, example: 'kiro/research=research' }),
      field('acp.configOptions', 'pairs', { hint: 'agents.hint.configOptions', rows: 2, hasFlags: true }),
      field('acp.ownFiles', 'flag', { hint: 'agents.hint.ownFiles' }),
    ],
    kinds: ['acp'],
  },
  {
    title: 'agents.group.a2a',
    fields: [
      field('a2a.url', 'text', { hint: 'agents.hint.a2aUrl', example: 'https://agents.example.com/analyst/' }),
      field('a2a.apiKey', 'text', { hint: 'agents.hint.a2aKey', example: '${ANALYST_KEY}' }),
      field('a2a.apiKeyHeader', 'text', { hint: 'agents.hint.apiKeyHeader', example: 'X-API-Key' }),
      field('a2a.card', 'text', { hint: 'agents.hint.a2aCard' }),
      field('a2a.version', 'choice', { hint: 'agents.hint.a2aVersion' }),
      field('a2a.taskSeconds', 'number', { hint: 'agents.hint.taskSeconds', step: 1 }),
      field('a2a.idleSeconds', 'number', { hint: 'agents.hint.idleSeconds', step: 1 }),
    ],
    kinds: ['a2a'],
  },
  {
    title: 'agents.group.external',
    fields: [
      field('external.inputUrl', 'text', { hint: 'agents.hint.inputUrl', example: 'https://oracle.example.com/input' }),
      field('external.secret', 'text', { hint: 'agents.hint.secret', example: '${ORACLE_SECRET}' }),
      field('external.callbackBaseUrl', 'text', { hint: 'agents.hint.callbackBaseUrl' }),
      field('external.answerSeconds', 'number', { hint: 'agents.hint.answerSeconds', step: 1 }),
    ],
    kinds: ['external'],
  },
  {
    title: 'agents.group.instructions',
    fields: [field('systemPrompt', 'long', { rows: 10, hint: 'agents.hint.systemPrompt' })],
  },
  {
    title: 'agents.group.workspace',
    fields: [
      field('workspace.folder', 'text', { hint: 'agents.hint.folder', example: '/home/me/project' }),
      field('workspace.per', 'choice', {
        hint: 'agents.hint.per',
        optionText: (option) => `agents.choice.${option}` as AgentTextKey,
      }),
    ],
    kinds: LOCAL,
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
      field('toolAllowlist', 'list', { hint: 'agents.hint.patterns', kinds: LOCAL }),
      field('toolDenylist', 'list', { kinds: LOCAL }),
      field('approvals', 'approvals', { hint: 'agents.hint.approvals', kinds: LOCAL }),
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
    kinds: LOCAL,
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
      field('chat.temperature', 'number', { step: 0.1, kinds: ['model'] }),
      field('chat.maxTokens', 'number', { step: 1, kinds: ['model'] }),
      field('chat.reasoningEffort', 'choice'),
      field('chat.contextWindow', 'number', { step: 1000, kinds: ['model'] }),
      field('chat.compactionThreshold', 'number', { step: 0.05, kinds: ['model'] }),
    ],
    kinds: ['model', ...PROGRAMS],
  },
];

/** What an agent of this kind can be told. What a definition says all the same is shown, too, so that it can be taken out. */
export function groupsFor(kind: Kind, value: JsonObject): FieldGroup[] {
  const isShown = (group: FieldGroup, { kinds = group.kinds, path }: Field) =>
    !kinds || kinds.includes(kind) || valueAt(value, path) !== undefined;
  return GROUPS.map((group) => ({ ...group, fields: group.fields.filter((field) => isShown(group, field)) })).filter(
    ({ fields }) => fields.length > 0,
  );
}

function field(name: FieldName, control: Control, more: More = {}): Field {
  return { path: name.split('.'), control, label: `agents.field.${name}`, ...more };
}

/** What the form calls the field at a path, or the field around it; undefined for what the form does not have. */
export function labelAt(path: readonly (string | number)[]): AgentTextKey | undefined {
  const fields = GROUPS.flatMap((group) => group.fields);
  return fields.find((field) => field.path.every((key, index) => path[index] === key))?.label;
}
