import { isKind, KIND_FIELDS, KINDS, type Kind, type KindType } from '../../state/agent-kinds.ts';
import { TOP_FIELDS } from './check-definition.ts';
import { writeAt } from './draft.ts';
import { type JsonObject, type JsonValue, valueAt } from './json-value.ts';

const TYPES = ['chat', 'acp', 'a2a', 'external'] as const satisfies readonly KindType[];

/** `inherited`: what holds where the definition says nothing itself. */
export function kindOf(value: JsonObject, inherited: JsonObject): Kind {
  const type = value.type ?? inherited.type ?? 'chat';
  if (type !== 'chat') return isKind(type) ? type : 'model';
  const provider = valueAt(value, ['chat', 'provider']) ?? valueAt(inherited, ['chat', 'provider']);
  return KINDS.find((kind) => provider && KIND_FIELDS[kind].beginning.provider === provider) ?? 'model';
}

/** The settings that a kind had before another one was chosen, so that choosing it again brings them back. */
export type KeptSettings = Partial<Record<Kind, JsonValue>>;

/** The same draft as another kind. Notes in `kept` what the former kind said. */
export function changeKind(
  text: string,
  value: JsonObject,
  inherited: JsonObject,
  to: Kind,
  kept: KeptSettings,
): string {
  const from = kindOf(value, inherited);
  if (to === from) return text;
  const former = value[KIND_FIELDS[from].type];
  if (former !== undefined) kept[from] = former;
  const { type, beginning } = KIND_FIELDS[to];
  const isImplied = type === 'chat' && (inherited.type ?? 'chat') === 'chat';
  const settings = kept[to] ?? (beginning.provider ? { provider: beginning.provider } : undefined);
  const changes: readonly (readonly [string, JsonValue | undefined])[] = [
    ...TYPES.map((name) => [name, undefined] as const),
    ['type', isImplied ? undefined : type],
    [type, settings],
  ];
  return changes.reduce((draft, [name, next]) => writeAt(draft, [name], next, TOP_FIELDS), text);
}

/** What the test of a connection looks at. */
export function connectionFields(value: JsonObject): JsonObject {
  const names = ['extends', 'type', ...TYPES];
  return Object.fromEntries(Object.entries(value).filter(([name, one]) => names.includes(name) && one !== undefined));
}

/** Names that the program gives its own tools: rules about approvals are about these, too. */
export function toolsOf(kind: Kind): readonly string[] {
  return OWN_TOOLS[kind] ?? [];
}

const OWN_TOOLS: Partial<Record<Kind, readonly string[]>> = {
  claude: ['Bash', 'Write', 'Edit'],
  codex: ['shell', 'apply_patch'],
  pi: ['bash', 'write', 'edit'],
  acp: ['fs/*', 'terminal'],
};
