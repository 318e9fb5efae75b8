import type { Bench, Measurement } from '../bench.ts';
import type { Row } from '../report.ts';
import { Bare } from '../sides/bare.ts';
import type { Chore } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import { measureAdded, toAddedRows } from './added.ts';

export const TOOLS = { agent: { toolAllowlist: ['todo_add'], agentAllowlist: [] } };

/** Every agent can ask for the time, which is the same work for both sides. What `todo_add` keeps is more than the row that the baseline inserts. */
const ROWS: readonly (readonly [name: string, chore: Chore])[] = [
  ['one tool call adds', 'todo'],
  ['one tool call that stores nothing adds', 'time'],
];

/** A turn in which the model asks for one tool call before it answers, and the same without it. */
export const toolCalls: Measurement = {
  name: 'tool-calls',
  about: 'what one tool call adds to a turn',
  async run(bench: Bench) {
    const { url: modelUrl } = bench.model;
    const sides = [
      await Bare.start({ modelUrl, sqlite: true, tools: true }),
      await Parley.start({ modelUrl, ...TOOLS }),
    ] as const;
    try {
      const rows: Row[] = [];
      for (const [name, chore] of ROWS) rows.push(...toAddedRows(name, 2, await measureAdded(bench, sides, chore)));
      return rows;
    } finally {
      for (const side of sides) await side.stop();
    }
  },
};
