import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { reconfigureAgent } from '../../suites/reconfigure.ts';
import { Bench } from '../cli/bench.ts';
import { CLI, describeProgram } from '../cli/flows.ts';
import { openRealClaude } from './programs.ts';

describeProgram('the real Claude Code', openRealClaude, { ...CLI, plans: true, asks: true });

it('the real Claude Code takes another model and mode without a new program', async () => {
  const program = await openRealClaude();
  const bench = await Bench.open(program);
  onTestFinished(() => bench.close());
  const id = await bench.session();
  await bench.say(id, 'Good morning.');
  const kept = bench.programs();
  const { chat } = program.definition as { chat: { cli: object } };
  const changed = { ...chat, model: 'claude-opus-4-5', cli: { ...chat.cli, permissionMode: 'acceptEdits' } };
  await reconfigureAgent(bench, 'prog', { chat: changed });
  const { turn } = await bench.say(id, `WRITE ${bench.file('free.txt')}`);
  expect(turn.state).toBe('complete');
  expect(readFileSync(bench.file('free.txt'), 'utf8')).toContain('hello file');
  expect(bench.programs()).toEqual(kept);
});
