import { z } from 'zod';
import * as access from './access.ts';
import * as actions from './actions.ts';
import * as agentSettings from './agent-settings.ts';
import * as agents from './agents.ts';
import * as artifactExport from './artifact-export.ts';
import * as artifactFiles from './artifact-files.ts';
import * as artifacts from './artifacts.ts';
import * as delegation from './delegation.ts';
import * as events from './events.ts';
import * as external from './external.ts';
import * as files from './files.ts';
import * as knowledge from './knowledge.ts';
import * as lists from './lists.ts';
import * as memory from './memory.ts';
import * as messages from './messages.ts';
import * as notes from './notes.ts';
import * as panels from './panels.ts';
import * as programSessions from './program-sessions.ts';
import * as push from './push.ts';
import * as schedules from './schedules.ts';
import * as sessions from './sessions.ts';
import * as shares from './shares.ts';
import * as snapshot from './snapshot.ts';
import * as teams from './teams.ts';
import * as templates from './templates.ts';
import * as tools from './tools.ts';
import * as turns from './turns.ts';
import * as views from './views.ts';
import * as voice from './voice.ts';
import * as webhooks from './webhooks.ts';

const MODULES: readonly object[] = [
  access,
  actions,
  agentSettings,
  agents,
  artifactExport,
  artifactFiles,
  artifacts,
  delegation,
  events,
  external,
  files,
  knowledge,
  lists,
  memory,
  messages,
  notes,
  panels,
  programSessions,
  push,
  schedules,
  sessions,
  shares,
  snapshot,
  teams,
  templates,
  tools,
  turns,
  views,
  voice,
  webhooks,
];

type Direction = 'input' | 'output';
type JsonSchema = Record<string, unknown>;

/**
 * The one schema without a name of its own. Not spelled out: a type that refers to itself is an error in generated
 * TypeScript.
 */
const JSON_VALUE = 'JsonValue';
const ANY_JSON: JsonSchema = { description: 'Any JSON value' };

/** Collects the schemas of a document: what the contract exports becomes a component under the name it has there. */
export class SchemaComponents {
  readonly #names = namesOfExports();
  readonly #components = new Map<string, JsonSchema>();

  /** The schema as it stands in the document: its components by reference. */
  describe(schema: z.ZodType, direction: Direction): JsonSchema {
    // In a field of its own, so that a schema with a name is a reference, too.
    const { properties, $defs = {} } = this.#convert(z.object({ schema }), direction) as {
      properties: { schema: JsonSchema };
      $defs?: Record<string, JsonSchema>;
    };
    const names = new Map(Object.keys($defs).map((key) => [key, this.#nameOf(key, direction)]));
    for (const [key, found] of Object.entries($defs)) {
      const name = names.get(key)!;
      this.#components.set(name, name === JSON_VALUE ? ANY_JSON : rename(found, names));
    }
    return rename(properties.schema, names);
  }

  /** By name, in the order of the alphabet. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #convert(schema: z.ZodType, io: Direction): unknown {
    const names = this.#names;
    const metadata = {
      get: (each: z.ZodType) => withId(z.globalRegistry.get(each), names.get(each)),
      has: (each: z.ZodType) => names.has(each) || z.globalRegistry.has(each),
    };
    return z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: metadata as never });
  }

  /** Requests and answers differ where fields have defaults; such a schema has a second name for requests. */
  #nameOf(key: string, direction: Direction): string {
    if (key.startsWith('__')) return JSON_VALUE;
    return direction === 'input' && this.#differs(key) ? `${key}Input` : key;
  }

  #differs(name: string): boolean {
    const schema = [...this.#names].find(([, each]) => each === name)![0];
    const [input, output] = (['input', 'output'] as const).map((direction) => {
      const { $defs } = this.#convert(z.object({ schema }), direction) as { $defs?: unknown };
      return JSON.stringify($defs);
    });
    return input !== output;
  }
}

function namesOfExports(): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  for (const [name, value] of MODULES.flatMap((module) => Object.entries(module)))
    if (value instanceof z.ZodType && !names.has(value)) names.set(value, name);
  return names;
}

function withId(metadata: object | undefined, id: string | undefined): object | undefined {
  return id === undefined ? metadata : { ...metadata, id };
}

function rename(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'id' && typeof value === 'string' && names.has(value)) return undefined;
    if (key !== '$ref' || typeof value !== 'string') return value;
    const name = names.get(value.replace('#/$defs/', ''));
    return name === undefined ? value : `#/components/schemas/${name}`;
  });
}
