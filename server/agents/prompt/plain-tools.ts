import type { ModelTool } from '../../models/types.ts';
import { neutralise } from './from-tag.ts';

const known = new WeakMap<readonly ModelTool[], readonly ModelTool[]>();

/** Tools as a model is told about them: what plugins and MCP servers say holds no tag that only the server writes. */
export function plainTools(tools: readonly ModelTool[]): readonly ModelTool[] {
  const done = known.get(tools);
  if (done) return done;
  const plain = tools.map((tool) => ({
    ...tool,
    description: neutralise(tool.description),
    inputSchema: plainValue(tool.inputSchema),
  }));
  known.set(tools, plain);
  return plain;
}

function plainValue<T>(value: T): T {
  if (typeof value === 'string') return neutralise(value) as T;
  if (Array.isArray(value)) return value.map(plainValue) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [neutralise(name), plainValue(inner)])) as T;
}
