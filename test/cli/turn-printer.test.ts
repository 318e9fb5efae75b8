import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Speakers } from '../../cli/speakers.ts';
import { TurnPrinter } from '../../cli/turn-printer.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { AT, aCall, aDelegation, aMessage } from '../harness/shapes.ts';
import { type Deed, ScriptedSession } from './scripted-session.ts';

const say = (text: string): Deed => ({ do: 'speak', text, reasoning: false });

function framesOf(...deeds: Deed[]): StreamFrame[] {
  const session = new ScriptedSession();
  for (const deed of deeds) session.perform(deed);
  return session.frames;
}

function printed(frames: readonly StreamFrame[], isLive = false): string {
  let text = '';
  const printer = new TurnPrinter(
    new Speakers(),
    (piece) => {
      text += piece;
    },
    isLive,
  );
  for (const frame of frames) printer.show(frame);
  printer.endMessage();
  return text;
}

const event = { sessionId: 's', seq: 99, position: 99, at: AT };

describe('what is printed of a turn', () => {
  test('a call is one line between the words around it, and the name is said once', () => {
    const frames = framesOf(
      { do: 'send', text: 'hi' },
      say('One moment.'),
      { do: 'call' },
      { do: 'endCall' },
      say('Done.'),
    );
    expect(printed(frames)).toBe('a: One moment.\n⚙ lists_add text=milk ✓ 0 ms\nDone.\n');
  });

  test('what was not seen live comes with the stored message, what was seen comes once', () => {
    const frames = framesOf(
      { do: 'send', text: 'hi' },
      say('One moment.'),
      { do: 'call' },
      { do: 'endCall' },
      say('Done.'),
      { do: 'reconnect' },
      { do: 'complete' },
    );
    const whole = 'a: One moment.\n⚙ lists_add text=milk ✓ 0 ms\nDone.\n';
    expect(printed(frames)).toBe(whole);
    expect(printed(frames.filter(({ type }) => type === 'turn.started' || type === 'message.created'))).toBe(whole);
  });

  test('is the same whether it was heard word by word, with interruptions, or message by message', () => {
    const deed: fc.Arbitrary<Deed> = fc.oneof(
      fc.record({ do: fc.constant('send' as const), text: fc.string({ maxLength: 8 }) }),
      fc.record({
        do: fc.constant('speak' as const),
        text: fc.string({ minLength: 1, maxLength: 8 }),
        reasoning: fc.boolean(),
      }),
      fc.record({ do: fc.constantFrom('complete' as const, 'fail' as const, 'steer' as const, 'reconnect' as const) }),
      fc.record({ do: fc.constantFrom('call' as const, 'progress' as const, 'endCall' as const) }),
      fc.record({ do: fc.constantFrom('ask' as const, 'answer' as const, 'handOver' as const) }),
    );
    const finish: Deed[] = Array.from({ length: 60 }, () => ({ do: 'complete' }));
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 40, size: 'max' }), (deeds) => {
        const frames = framesOf(...deeds, ...finish);
        const whole = frames.filter((frame) => 'seq' in frame && !frame.type.startsWith('tool.'));
        expect(printed(frames)).toBe(printed(whole));
      }),
      { numRuns: 300 },
    );
  });

  test('a delegate speaks under its own name below a banner, and whoever asked it goes on under its own', () => {
    const frames = framesOf(
      { do: 'send', text: 'hi' },
      say('I ask.'),
      { do: 'handOver' },
      say('Three things.'),
      { do: 'complete' },
      say('So: three.'),
      { do: 'complete' },
    );
    expect(printed(frames)).toBe('a: I ask.\n→ Delegating to b — look it up\nb: Three things.\na: So: three.\n');
  });

  test('whoever is interrupted in the middle of a word goes on with it, and nobody is mistaken for another', () => {
    const delta = { type: 'delta' as const, sessionId: 's', after: null, kind: 'text' as const, part: 0 };
    const frames: StreamFrame[] = [
      { ...delta, turnId: 't1', agentId: 'a', offset: 0, text: 'one ' },
      { ...delta, turnId: 't2', agentId: 'b', offset: 0, text: 'two' },
      { ...delta, turnId: 't1', agentId: 'a', offset: 4, text: 'three' },
    ];
    expect(printed(frames)).toBe('a: one\nb: two\na: three\n');
  });

  test('empty lines are for between words, not for their end', () => {
    const frames = framesOf({ do: 'send', text: 'hi' }, say('One.\n\n'), say('\nTwo.\n\n'), { do: 'complete' });
    expect(printed(frames)).toBe('a: One.\n\n\nTwo.\n');
  });

  test.each([
    [aCall({ state: 'failed', output: 'no such list\nsecond line', endedAt: AT }), '✗ failed: no such list'],
    [aCall({ state: 'denied', output: 'not today', endedAt: AT }), '✗ denied: not today'],
    [aCall({ state: 'rejected', endedAt: AT }), '✗ rejected'],
    [aCall({ state: 'cancelled', endedAt: AT }), '✗ cancelled'],
    [aCall({ state: 'interrupted', endedAt: AT }), '? interrupted, result unknown'],
  ])('a call that came to nothing says so: %#', (call, ending) => {
    expect(printed([{ type: 'tool.ended', ...event, call }])).toBe(`⚙ lists_add text=milk ${ending}\n`);
  });

  test('a delegation that was refused, failed or ended elsewhere is told', () => {
    const told = (delegation: Parameters<typeof aDelegation>[0]) =>
      printed([{ type: 'delegation.ended', ...event, delegation: aDelegation(delegation) }]);
    expect(told({ turnId: null, state: 'refused', reason: 'too deep' })).toBe('→ b was not asked: too deep\n');
    expect(told({ state: 'failed', reason: 'no key' })).toBe('← b: failed: no key\n');
    expect(told({ state: 'complete', mode: 'async', via: 'tool' })).toBe('← b is done\n');
    expect(told({ state: 'complete' })).toBe('');
    const part = { type: 'delegation' as const, from: 'a', to: 'b', task: 'x', turnId: null, sessionId: 's' };
    const parts = [{ ...part, state: 'refused' as const, reason: 'nobody' }];
    const message = aMessage({ role: 'delegation', turnId: 't1', agent: 'b', text: 'x', parts });
    expect(printed([{ type: 'message.created', ...event, message }])).toBe('→ b was not asked: nobody\n');
  });

  test('nothing in a call or a task drives the terminal or breaks out of its line', () => {
    const evil = 'x\u001b[2J\u202e\r\ny';
    const call = aCall({
      name: evil,
      input: JSON.stringify({ [evil]: evil }),
      state: 'failed',
      output: evil,
      endedAt: AT,
    });
    const delegation = aDelegation({ to: evil, task: evil });
    const text = printed([
      { type: 'tool.ended', ...event, call },
      { type: 'delegation.started', ...event, delegation },
    ]);
    for (const character of ['\u001b', '\u202e', '\r']) expect(text).not.toContain(character);
    expect(text.trimEnd().split('\n')).toHaveLength(2);
  });

  test('at a terminal a call that goes on shows how far it has come, on a line that goes away again', () => {
    const progress = { type: 'tool.progress' as const, sessionId: 's', turnId: 't1', callId: 'c1' };
    const text = printed(
      [
        { type: 'tool.started', ...event, call: aCall() },
        { ...progress, text: 'page 2', fraction: 0.5 },
        { type: 'tool.ended', ...event, call: aCall({ state: 'complete', endedAt: AT }) },
      ],
      true,
    );
    const [, started, halfway, cleared, ended] = text.split('\r\u001b[2K');
    expect(started).toBe('⚙ lists_add text=milk …');
    expect(halfway).toBe('⚙ lists_add 50 % page 2 …');
    expect([cleared, ended].join('')).toBe('⚙ lists_add text=milk ✓ 0 ms\n');
  });

  test('at a terminal a request that is sent again says why and when, on a line that goes away again', () => {
    const retrying = { type: 'turn.retrying' as const, sessionId: 's', turnId: 't1', code: 'model_rate_limited' };
    expect(printed([{ ...retrying, waitMs: 11_200 }], true)).toContain('Rate limited, retrying in 12 s …');
    expect(printed([{ ...retrying, waitMs: 11_200 }], false)).toBe('');
  });
});
