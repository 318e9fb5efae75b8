import type { ToolRisk, ToolSource } from '../../../contract/tools.ts';
import { InputError, type InputSchema, type Tool, type ToolContext, type ToolOutput } from '../tool.ts';
import type { ConfiguredServer } from './configured-server.ts';
import type { Definition, HashedDefinition } from './definition.ts';
import { plainSchema, plainText } from './plain-text.ts';
import { qualifiedName } from './tool-name.ts';

const MOST_DESCRIPTION = 4000;

/** A tool of a server as it was accepted. */
export class McpTool implements Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly capabilities: readonly string[];
  readonly source: ToolSource;
  readonly risk: ToolRisk;
  readonly agents?: readonly string[];
  readonly #server: ConfiguredServer;
  readonly #accepted: HashedDefinition;

  constructor(server: ConfiguredServer, accepted: HashedDefinition) {
    const { definition } = accepted;
    const { $schema: _, ...inputSchema } = definition.inputSchema;
    this.name = qualifiedName(server.name, definition.name);
    this.description = describeTool(definition);
    this.inputSchema = plainSchema(inputSchema);
    this.capabilities = [`mcp.${server.name}`];
    this.source = { kind: 'mcp', id: server.name };
    this.risk = riskOf(server, definition);
    if (server.settings.agents) this.agents = server.settings.agents;
    this.#server = server;
    this.#accepted = accepted;
  }

  parse(input: unknown): unknown {
    return checkInput(this.name, this.inputSchema, input);
  }

  execute(input: unknown, context: ToolContext): Promise<ToolOutput> {
    return this.#server.call(this.#accepted, input as Record<string, unknown>, context);
  }
}

export function describeTool({ name, title, description }: Definition): string {
  return plainText(description?.trim() || title || name, MOST_DESCRIPTION);
}

/** That it only reads is what the server says. It is believed where the owner trusts the server anyway. */
function riskOf({ settings }: ConfiguredServer, { annotations }: Definition): ToolRisk {
  return settings.approval === 'allow' && annotations?.readOnlyHint === true ? 'read' : 'execute';
}

type Schema = Readonly<Record<string, unknown>>;

const MOST_ISSUES = 20;

/**
 * Arguments as a tool's schema wants them, as far as that can be seen at the top: an object, what is required, of which
 * type. The rest is the server's to check. Nothing here runs a pattern that the server wrote.
 */
export function checkInput(name: string, schema: Schema, input: unknown): Record<string, unknown> {
  if (!isRecord(input)) throw new InputError(`${name}: the input must be an object`);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const given = withoutNulls(properties, input);
  const issues = [
    ...missing(schema, given),
    ...unknown(schema, properties, given),
    ...Object.entries(given).flatMap(([key, value]) => issuesOf(key, own(properties, key), value)),
  ];
  if (issues.length > 0) throw new InputError(`${name}: ${issues.slice(0, MOST_ISSUES).join('; ')}`);
  return given;
}

/** Models say null for what they leave out. */
function withoutNulls(properties: Schema, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(input).filter(([key, value]) => value !== null || allowsNull(own(properties, key)));
  return Object.fromEntries(kept);
}

function allowsNull(schema: unknown): boolean {
  return !isRecord(schema) || typesOf(schema).includes('null') || !('type' in schema);
}

function missing(schema: Schema, given: Readonly<Record<string, unknown>>): string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return required
    .filter((key) => typeof key === 'string' && !Object.hasOwn(given, key))
    .map((key) => `${key} is required`);
}

function unknown(schema: Schema, properties: Schema, given: Readonly<Record<string, unknown>>): string[] {
  if (schema.additionalProperties !== false || 'patternProperties' in schema) return [];
  return Object.keys(given)
    .filter((key) => !Object.hasOwn(properties, key))
    .map((key) => `unknown field ${key}`);
}

function issuesOf(key: string, schema: unknown, value: unknown): string[] {
  if (!isRecord(schema)) return [];
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return [`${key} must be ${types.join(' or ')}`];
  const choices = Array.isArray(schema.enum) ? schema.enum : undefined;
  if (choices && !isComposite(value) && !choices.includes(value)) return [`${key} must be one of the allowed values`];
  return [];
}

function typesOf(schema: Schema): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return true;
  }
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function own(record: Schema, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
