import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message, Part } from '../../contract/messages.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { type Script, text } from '../harness/scripted-script.ts';
import { Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ agents: ['ada'], agent: { toolAllowlist: ['todo_*', 'ask_user'], agentAllowlist: [] } });
  stage.provider.script(script);
});
afterAll(() => stage.close());

/** `call NAME {…}; NAME {…}` makes calls; what tools answer is said back. */
function script({ body, said }: RecordedRequest): Script {
  const messages = body.messages as { role: string; content: string }[];
  const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const answers = results.filter(({ role }) => role === 'tool');
  if (answers.length > 0) return { steps: text(`Tools said: ${answers.map(({ content }) => content).join(' | ')}`) };
  const calls = [...said.matchAll(/(\w+) (\{[^;]*\})/g)];
  if (!said.startsWith('call')) return { steps: text('No tools needed.') };
  return {
    steps: [
      ...text('Let me see.'),
      ...calls.map(([, name, input], index) => ({
        kind: 'toolCall' as const,
        id: `c${index}`,
        name: name!,
        input: input!,
      })),
    ],
  };
}

function kinds({ parts }: Message): string[] {
  return parts.map((part) => part.type);
}

function callsOf({ parts }: Message): Extract<Part, { type: 'tool_call' }>[] {
  return parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []));
}

describe('a turn that uses tools', () => {
  it('carries calls out, shows them in the message, and goes on with what came back', async () => {
    const id = await stage.open();
    const { turn, answer } = await stage.say(id, 'call todo_add {"title":"buy milk"}');
    expect(turn).toMatchObject({ state: 'complete', error: null });
    expect(kinds(answer!)).toEqual(['text', 'tool_call', 'tool_result', 'text']);
    expect(callsOf(answer!)).toMatchObject([{ name: 'todo_add', state: 'complete' }]);
    expect(answer!.text).toContain('Tools said:');
  });
});
