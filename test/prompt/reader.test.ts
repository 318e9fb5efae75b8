import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributedMessage, SpokenStep } from '../../server/agents/agent.ts';
import { tagDelegate } from '../../server/agents/prompt/from-tag.ts';
import { readAs, readStep } from '../../server/agents/prompt/reader.ts';
import { readDelegateTags } from '../../server/delegation/delegate-tags.ts';
import type { ModelMessage } from '../../server/models/types.ts';

const agent = fc.constantFrom('ada', 'bob', 'wisp/eve');

/** Words from which tags, half tags and their ends grow. */
const words = fc
  .array(
    fc.oneof(
      fc.constantFrom('<from agent="eve">', '</from>', '<delegate to="bob">', '</delegate>', '< / FROM', '<Delegate'),
      fc.constantFrom('<q>', '</q>', '<PRE class="x">', '<!--', '<![CDATA['),
      fc.constantFrom('<', '&lt;', '&amp;', '"', '>', '`', '\n'),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const call = fc.record({
  callId: fc.uuid(),
  name: fc.constantFrom('read', 'write'),
  input: fc.json({ maxDepth: 1 }),
  result: fc.option(fc.record({ output: words, isError: fc.boolean() })),
});
const step: fc.Arbitrary<SpokenStep> = fc.record(
  { text: words, calls: fc.array(call, { minLength: 1, maxLength: 3 }), opaque: fc.constant({ provider: 'x' }) },
  { requiredKeys: ['text', 'calls'] },
);
const steps = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 3 }), words)
  .map(([before, text]) => (text === '' ? before : [...before, { text, calls: [] }]));

const message: fc.Arbitrary<AttributedMessage> = fc.oneof(
  fc.tuple(fc.option(agent), words).map(([name, text]) => ({ role: 'user' as const, agent: name, text })),
  fc.tuple(fc.option(agent), words).map(([name, text]) => ({ role: 'assistant' as const, agent: name, text })),
  fc.tuple(agent, steps).map(([name, done]) => ({
    role: 'assistant' as const,
    agent: name,
    text: done.map(({ text }) => text).join('\n\n'),
    steps: done,
  })),
  fc.tuple(agent, agent, words).map(([from, name, text]) => ({ role: 'delegation' as const, agent: name, from, text })),
);
const history = fc.array(message, { maxLength: 10 });

const textsOf = (messages: readonly ModelMessage[]) =>
  messages.flatMap((one) => ('text' in one && one.text !== '' ? [one.text] : []));

describe('a history', () => {
  test('has a name on everything that the reader did not say and the person did not write, and on nothing else', () => {
    fc.assert(
      fc.property(history, agent, fc.boolean(), (said, reader, textOnly) => {
        for (const one of said) {
          const read = textsOf(readAs(reader, [one], null, { textOnly }));
          const speaker = one.role === 'delegation' ? one.from! : one.agent;
          const isNamed = speaker !== null && (speaker !== reader || one.role === 'user');
          for (const text of read) {
            expect(text.match(/<from agent="[^"]*">/g) ?? []).toEqual(isNamed ? [`<from agent="${speaker}">`] : []);
            expect(text.match(/<\/from>/g) ?? []).toEqual(isNamed ? ['</from>'] : []);
            if (isNamed) expect([text.startsWith('<from '), text.endsWith('</from>')]).toEqual([true, true]);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('holds a tag that delegates only where the reader delegated, and then one that says just that', () => {
    fc.assert(
      fc.property(history, agent, (said, reader) => {
        const read = textsOf(readAs(reader, said, 'A <delegate to="x">y</delegate> summary'));
        const given = said.filter(({ role, from }) => role === 'delegation' && from === reader);
        const tags = read.flatMap((text) => text.match(/<\s*delegate\b[^>]*>/gi) ?? []);
        expect(tags).toEqual(given.map(({ agent: to }) => `<delegate to="${to}">`));
      }),
      { numRuns: 1000 },
    );
  });

  test('tells who said what in their order', () => {
    fc.assert(
      fc.property(history, agent, (said, reader) => {
        const whole = readAs(reader, said, null);
        expect(whole).toEqual(said.flatMap((one) => readAs(reader, [one], null)));
      }),
    );
  });

  test('grows only at its end, whoever reads it', () => {
    fc.assert(
      fc.property(history, history, agent, fc.boolean(), (before, more, reader, textOnly) => {
        const earlier = readAs(reader, before, 'A summary', { textOnly });
        const later = readAs(reader, [...before, ...more], 'A summary', { textOnly });
        expect(later.slice(0, earlier.length)).toEqual(earlier);
      }),
    );
  });

  test('is made of the same objects each time, so that what is derived from them can be kept', () => {
    fc.assert(
      fc.property(history, agent, fc.boolean(), (said, reader, textOnly) => {
        const once = readAs(reader, said, null, { textOnly });
        const again = readAs(reader, said, null, { textOnly });
        expect(again).toHaveLength(once.length);
        for (const [index, one] of again.entries()) expect(one).toBe(once[index]);
      }),
    );
  });

  test('has a result for every call, and no call of anybody else', () => {
    fc.assert(
      fc.property(history, agent, (said, reader) => {
        const read = readAs(reader, said, null);
        for (const [index, one] of read.entries()) {
          if (one.role !== 'assistant' || !one.toolCalls) continue;
          const next = read[index + 1];
          expect(next?.role === 'tool' && next.results.map(({ id }) => id)).toEqual(one.toolCalls.map(({ id }) => id));
        }
        const own = said.filter((one) => one.agent === reader).flatMap((one) => one.steps ?? []);
        const called = read.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
        expect(called.map(({ id }) => id)).toEqual(own.flatMap(({ calls }) => calls.map(({ callId }) => callId)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a turn with tools', () => {
  test('reads while it goes on as it will read when it is over', () => {
    fc.assert(
      fc.property(history, steps, agent, (before, done, reader) => {
        const text = done.map((one) => one.text).join('\n\n');
        const over: AttributedMessage = { role: 'assistant', agent: reader, text, steps: done };
        const going = [...readAs(reader, before, null), ...done.flatMap(readStep)];
        expect(readAs(reader, [...before, over], null)).toEqual(going);
      }),
    );
  });

  const said: AttributedMessage = {
    role: 'assistant',
    agent: 'ada',
    text: 'Let me look.\n\nIt is 42.',
    steps: [
      {
        text: 'Let me look.',
        calls: [
          { callId: 'a', name: 'read', input: '{"path":"x"}', result: { output: '42', isError: false } },
          { callId: 'b', name: 'read', input: '{"path":"y"}', result: null },
        ],
        opaque: { provider: 'anthropic' },
      },
      { text: 'It is 42.', calls: [] },
    ],
  };

  test('is shown whole to the one who took it, and a call without an end as interrupted', () => {
    expect(readAs('ada', [said], null)).toEqual([
      {
        role: 'assistant',
        text: 'Let me look.',
        toolCalls: [
          { id: 'a', name: 'read', input: '{"path":"x"}' },
          { id: 'b', name: 'read', input: '{"path":"y"}' },
        ],
        opaque: { provider: 'anthropic' },
      },
      {
        role: 'tool',
        results: [
          { id: 'a', name: 'read', output: '42', isError: false },
          { id: 'b', name: 'read', output: expect.stringContaining('interrupted'), isError: true },
        ],
      },
      { role: 'assistant', text: 'It is 42.' },
    ]);
  });

  test('is words to everybody else, and to the same agent as a guest', () => {
    const text = 'Let me look.\n\nIt is 42.';
    expect(readAs('bob', [said], null)).toEqual([{ role: 'assistant', text: `<from agent="ada">${text}</from>` }]);
    expect(readAs('ada', [said], null, { textOnly: true })).toEqual([{ role: 'assistant', text }]);
  });

  test('without a word is nothing to whoever reads only words', () => {
    const silent: AttributedMessage = { ...said, text: '', steps: said.steps!.slice(0, 1) };
    expect(readAs('bob', [silent], null)).toEqual([]);
    expect(readAs('ada', [silent], null, { textOnly: true })).toEqual([]);
  });
});

describe('a delegation', () => {
  const given: AttributedMessage = { role: 'delegation', agent: 'bob', from: 'ada', text: 'Count to </delegate> 3' };

  test('is the tag that was written to the one who gave it', () => {
    const text = '<delegate to="bob">Count to &lt;/delegate> 3</delegate>';
    expect(readAs('ada', [given], null)).toEqual([{ role: 'assistant', text }]);
  });

  test('is a message to the one who shall do it', () => {
    const text = '<from agent="ada">Count to &lt;/delegate> 3</from>';
    expect(readAs('bob', [given], null)).toEqual([{ role: 'user', text }]);
  });

  test('is told to everybody else', () => {
    const text = '<from agent="ada">I asked bob to do this: Count to &lt;/delegate> 3</from>';
    expect(readAs('eve', [given], null)).toEqual([{ role: 'assistant', text }]);
  });

  test('that is written as a tag reads as the same task again', () => {
    fc.assert(
      fc.property(agent, words, (to, task) => {
        fc.pre(task.trim() !== '' && !task.includes('`'));
        expect(readDelegateTags(tagDelegate(to, task))).toEqual({ text: '', delegations: [{ to, task: task.trim() }] });
      }),
      { numRuns: 1000 },
    );
  });
});

test('a message that an agent sent has its name on it, also for itself', () => {
  const sent: AttributedMessage = { role: 'user', agent: 'ada', text: 'Done.' };
  for (const reader of ['ada', 'bob'])
    expect(readAs(reader, [sent], null)).toEqual([{ role: 'user', text: '<from agent="ada">Done.</from>' }]);
});
