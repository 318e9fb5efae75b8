import { z } from 'zod';
import type { ToolRisk, ToolSource } from '../../contract/tools.ts';
import { describeIssues } from '../validation.ts';
import type { Working } from '../workspaces/workspaces.ts';
import { InputError, type InputSchema, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

const THE_INPUT = { whole: 'the input', path: [] };

export interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  capabilities?: readonly string[];
  risk: ToolRisk;
  source: ToolSource;
  operation?: string | undefined;
  /** Asked every time, so that a changed configuration counts at once. */
  agents?: () => readonly string[];
  resumable?: true;
  workingFolder?: (working: Working) => Promise<string>;
  sends?: true;
  alwaysAsks?: true;
  atomic?: true;
  describeFailure?: Tool['describeFailure'];
  preview?: (input: z.output<Input>) => Promise<string | null>;
}

export type Execute<Input extends z.ZodObject> = (
  input: z.output<Input>,
  context: ToolContext,
) => Promise<string | ToolOutput>;

export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
  execute: Execute<Input>,
): Tool {
  return new DefinedTool(definition, execute);
}

class DefinedTool<Input extends z.ZodObject> implements Tool {
  readonly #definition: ToolDefinition<Input>;
  readonly #execute: Execute<Input>;
  #schema: InputSchema | undefined;

  constructor(definition: ToolDefinition<Input>, execute: Execute<Input>) {
    this.#definition = definition;
    this.#execute = execute;
  }

  get name(): string {
    return this.#definition.name;
  }

  get description(): string {
    return this.#definition.description;
  }

  get capabilities(): readonly string[] {
    return this.#definition.capabilities ?? [];
  }

  get source(): ToolSource {
    return this.#definition.source;
  }

  get risk(): ToolRisk {
    return this.#definition.risk;
  }

  get operation(): string | undefined {
    return this.#definition.operation;
  }

  get agents(): readonly string[] | undefined {
    return this.#definition.agents?.();
  }

  get resumable(): true | undefined {
    return this.#definition.resumable;
  }

  get workingFolder(): Tool['workingFolder'] {
    return this.#definition.workingFolder;
  }

  get sends(): true | undefined {
    return this.#definition.sends;
  }

  get alwaysAsks(): true | undefined {
    return this.#definition.alwaysAsks;
  }

  get atomic(): true | undefined {
    return this.#definition.atomic;
  }

  get describeFailure(): Tool['describeFailure'] {
    return this.#definition.describeFailure;
  }

  async preview(input: unknown): Promise<string | null> {
    return (await this.#definition.preview?.(input as z.output<Input>)) ?? null;
  }

  /** Made when it is first wanted: most tools are never offered to anyone. */
  get inputSchema(): InputSchema {
    this.#schema ??= Object.freeze(plainSchema(this.#definition.input));
    return this.#schema;
  }

  /** Models say null for what they leave out. */
  parse(input: unknown): unknown {
    const { input: schema } = this.#definition;
    const first = schema.safeParse(input);
    if (first.success) return first.data;
    const second = schema.safeParse(withoutNulls(input, first.error));
    if (second.success) return second.data;
    throw new InputError(`${this.name}: ${describeIssues(first.error.issues, schema, input, THE_INPUT).join('; ')}`);
  }

  async execute(input: unknown, context: ToolContext): Promise<ToolOutput> {
    const output = await this.#execute(input as z.output<Input>, context);
    return typeof output === 'string' ? { text: output } : output;
  }
}

function plainSchema(input: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', override: withoutNoise });
  return schema;
}

/** Removes patterns that a format implies, and bounds that the schema library adds by itself. */
function withoutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Only where null is not an answer of its own. */
function withoutNulls(input: unknown, { issues }: z.ZodError): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const objected = new Set(issues.map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => value !== null || !objected.has(key)));
}
