import type { Bench, Measurement } from '../bench.ts';
import { Bare } from '../sides/bare.ts';
import type { Chore } from '../sides/model.ts';
import { Parley } from '../sides/parley.ts';
import { measureAdded, toAddedRows } from './added.ts';

const CHORE: Chore = 'todo';

export const TOOLS = { agent: { toolAllowlist: ['todo_add'], agentAllowlist: [] } };

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
      return toAddedRows('one tool call adds', 2, await measureAdded(bench, sides, CHORE));
    } finally {
      for (const side of sides) await side.stop();
    }
  },
};
