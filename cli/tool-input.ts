import type { RunTool, ToolInfo } from '../contract/tools.ts';
import { CommandFailure, EXIT_USAGE } from './failure.ts';
import type { ToolWords } from './tool-words.ts';

type Input = NonNullable<RunTool['input']>;
type Value = Input[string];
/** One property of a JSON Schema, as far as it is looked at here. */
type Shape = { type?: unknown; items?: Shape };

/**
 * The input of a tool from what was typed: the JSON first, then every key. Where the tool says what it takes, a value
 * becomes that; elsewhere numbers, true, false, lists and objects are recognised by how they look.
 */
export function toolInput({ json, flags }: ToolWords, tool: ToolInfo | undefined, piped: string): Input {
  const shapes = propertiesOf(tool);
  const entries = [...flags].map(([key, values]): [string, Value] => {
    const name = nameOf(key, shapes);
    return [
      name,
      toValue(
        values.map((value) => (value === '-' ? piped : value)),
        shapes.get(name),
      ),
    ];
  });
  return { ...readObject(json), ...Object.fromEntries(entries) };
}

export function propertiesOf(tool: ToolInfo | undefined): ReadonlyMap<string, Shape> {
  const properties = tool?.inputSchema.properties;
  return new Map(properties && typeof properties === 'object' ? (Object.entries(properties) as [string, Shape][]) : []);
}

export function readObject(json: string | undefined): Input {
  if (json === undefined || json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (value && typeof value === 'object' && !Array.isArray(value)) return value as Input;
  } catch (error) {
    throw new CommandFailure(`The input is not valid JSON: ${(error as Error).message}`, EXIT_USAGE);
  }
  throw new CommandFailure('The input must be a JSON object, for example {"text":"milk"}.', EXIT_USAGE);
}

/** `--due-date` may stand for dueDate or due_date. */
function nameOf(key: string, shapes: ReadonlyMap<string, Shape>): string {
  if (shapes.has(key)) return key;
  return [...shapes.keys()].find((name) => plain(name) === plain(key)) ?? key;
}

export function plain(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

function toValue(given: readonly (string | true)[], shape: Shape | undefined): Value {
  const types = typesOf(shape);
  const values = given.map((value) => (value === true ? true : readValue(value, shape)));
  const [only] = values;
  if (values.length > 1) return values.flat();
  return types.includes('array') && !Array.isArray(only) ? [only as Value] : (only as Value);
}

function typesOf(shape: Shape | undefined): unknown[] {
  return Array.isArray(shape?.type) ? shape.type : [shape?.type ?? 'anything'];
}

/** One of several values of a list is what the list is of. */
function readValue(text: string, shape: Shape | undefined): Value {
  const types = typesOf(shape);
  if (types.includes('array')) return text.startsWith('[') ? guess(text) : readValue(text, shape?.items);
  return types.includes('string') && !(types.includes('object') && text.startsWith('{')) ? text : guess(text);
}

/** Only what would be written exactly so is a number: 007 and 1e999 are words. */
function guess(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d/.test(text) && String(Number(text)) === text) return Number(text);
  return /^[[{]/.test(text) ? (parsed(text) ?? text) : text;
}

function parsed(text: string): Value | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
