import { expect, test } from 'vitest';
import { render } from 'vitest-browser-react';
import type { StreamFrame } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import { AgentFrame, SpeakerFacts } from '../../web/features/conversation/message-frame.tsx';
import { Transcript } from '../../web/features/conversation/transcript.tsx';
import { applyFrames, type SessionFrame } from '../../web/live/frames.ts';
import { useConversation } from '../../web/live/use-live.ts';
import { Fixture } from './fixture.tsx';
import { call, message, session, turn } from './fixtures.ts';

const AT = '2026-01-01T10:00:00.000Z';
const ENDED = '2026-01-01T10:00:01.250Z';
const QUESTION = message('question', 'How far is it?', { seq: 1, status: 'complete' });
const RUNNING = turn('t1', { state: 'running', messageId: 'question', startedAt: AT });
const SETTLED = turn('t1', { ...RUNNING, state: 'complete', answerId: 'answer', endedAt: ENDED });
const THOUGHTS = 'Miles or kilometres?';
const CALL = call('complete', { part: 1, output: 'Ten miles.', outputBytes: 10, endedAt: ENDED });

test('thoughts and a tool row that were opened while an agent spoke stay open when it has spoken', async () => {
  const { screen, hear } = await talking();
  hear(thinks(THOUGHTS), { type: 'tool.ended', call: CALL, ...place(2) }, says(3, 'It is ten'));
  await screen.getByRole('button', { name: 'Reasoning' }).click();
  await screen.getByRole('button', { name: /notes_read/ }).click();
  await expect.element(screen.getByText(THOUGHTS)).toBeVisible();
  await expect.element(screen.getByText('Ten miles.', { exact: true })).toBeVisible();
  const words = screen.getByText('It is ten').element();

  hear(settles(3, answer('answer', 'It is ten miles.')));
  await expect.element(screen.getByRole('button', { name: 'Copy', exact: true }).first()).toBeInTheDocument();
  await expect.element(screen.getByText('It is ten miles.')).toBeVisible();
  await expect.element(screen.getByText(THOUGHTS)).toBeVisible();
  await expect.element(screen.getByText('Ten miles.', { exact: true })).toBeVisible();
  // Neither a selection in it nor the keyboard on it is lost.
  expect(screen.getByText('It is ten miles.').element()).toBe(words);
  await expect.element(screen.getByRole('button', { name: /notes_read/ })).toHaveFocus();
});

test('thoughts that come after somebody steered are folded, whatever was opened before', async () => {
  const { screen, hear } = await talking();
  hear(thinks(THOUGHTS), says(1, 'It is'));
  await screen.getByRole('button', { name: 'Reasoning' }).click();
  const steering = message('steering', 'In miles', { seq: 3, parentId: 'first', status: 'complete' });
  hear(
    { type: 'message.created', message: { ...answer('first', 'It is'), seq: 2 }, ...place(2) },
    { type: 'message.created', message: steering, ...place(3) },
    thinks('Then it is ten.', 'first'),
    says(1, 'Ten.', 'first'),
  );
  await expect.element(screen.getByText('Ten.', { exact: true })).toBeVisible();
  await expect.element(screen.getByText(THOUGHTS)).toBeVisible();
  await expect.element(screen.getByText('Then it is ten.')).not.toBeInTheDocument();
});

test('what an agent plans and is doing is shown while it works, and gone when it has answered', async () => {
  const { screen, hear } = await talking();
  const plan = [
    { text: 'Read the map', state: 'complete' as const },
    { text: 'Measure', state: 'running' as const },
  ];
  hear({ type: 'turn.progress', sessionId: 's1', turnId: 't1', status: 'Measuring the road', plan });
  await expect.element(screen.getByRole('list', { name: 'Plan' })).toHaveTextContent('●Read the map◐Measure');
  await expect.element(screen.getByRole('img', { name: 'In progress' })).toBeVisible();
  await expect.element(screen.getByText('Measuring the road')).toBeVisible();
  hear(says(0, 'Ten miles.'), settles(2, answer('answer', 'Ten miles.')));
  await expect.element(screen.getByText('Ten miles.')).toBeVisible();
  await expect.element(screen.getByRole('list', { name: 'Plan' })).not.toBeInTheDocument();
});

test('a call that fails while somebody looks on opens by itself, unless they have closed it', async () => {
  const { screen, hear } = await talking();
  hear({ type: 'tool.started', call: call('running', { part: 0 }), ...place(2) });
  const line = screen.getByRole('button', { name: /notes_read/ });
  await expect.element(line).toHaveAttribute('aria-expanded', 'false');
  const failed = call('failed', { part: 0, output: 'No such note.', outputBytes: 13, endedAt: ENDED });
  hear({ type: 'tool.ended', call: failed, ...place(3) });
  await expect.element(screen.getByText('No such note.')).toBeVisible();
  await line.click();
  await expect.element(screen.getByText('No such note.')).not.toBeInTheDocument();
  hear(settles(4, answer('answer', 'I found nothing.')));
  await expect.element(screen.getByText('I found nothing.')).toBeVisible();
  await expect.element(line).toHaveAttribute('aria-expanded', 'false');
});

test('an answer that was cut off at the output limit says so and can be regenerated', async () => {
  const { fixture, screen, hear } = await talking();
  const settled = { ...SETTLED, stopReason: 'length' };
  hear({ ...settles(2, answer('answer', 'It is ten')), turn: settled });
  const article = screen.getByRole('article', { name: /coder/ });
  await expect.element(article.getByText('Cut off at the output limit')).toBeVisible();
  await article.getByText('Regenerate', { exact: true }).click();
  await expect.poll(() => fixture.asked.at(-1)?.path).toBe('/api/turns/t1/retries');
});

/** A conversation in which an agent is about to answer. */
async function talking() {
  const fixture = new Fixture();
  fixture.open({ session: session('s1', { headId: 'question' }), messages: [QUESTION], turns: [RUNNING] });
  const screen = await fixture.show(
    <div className="flex h-150 flex-col">
      <Shown />
    </div>,
  );
  const hear = (...frames: readonly Said[]) =>
    fixture.change(applyFrames(fixture.live.store.getState(), frames.map(toFrame)));
  return { fixture, screen, hear };
}

function Shown() {
  const state = useConversation('s1');
  return state && <Transcript state={state} outgoing={[]} target={undefined} />;
}

type Said = Record<string, unknown> & { type: StreamFrame['type'] };

function toFrame(said: Said): SessionFrame {
  return { sessionId: 's1', ...said } as SessionFrame;
}

function place(seq: number) {
  return { seq, position: seq, at: AT };
}

/** `after`: the newest message that the turn has stored, which its text comes after. */
function thinks(text: string, after: string | null = null): Said {
  return { type: 'delta', turnId: 't1', part: 0, after, kind: 'reasoning', offset: 0, text };
}

function says(part: number, text: string, after: string | null = null): Said {
  return { type: 'delta', turnId: 't1', part, after, kind: 'text', offset: 0, text };
}

function settles(seq: number, said: Message): Said {
  return { type: 'turn.settled', turn: SETTLED, status: 'active', message: said, ...place(seq) };
}

function answer(id: string, text: string): Message {
  const { id: callId, name, input } = CALL;
  return message(id, text, {
    seq: 2,
    parentId: 'question',
    turnId: 't1',
    role: 'assistant',
    agent: 'coder',
    status: 'complete',
    parts: [
      { type: 'reasoning', text: THOUGHTS },
      { type: 'tool_call', callId, name, input, state: 'complete', durationMs: 1250 },
      { type: 'tool_result', callId, name, output: 'Ten miles.', isError: false },
      { type: 'text', text },
    ],
  });
}

test('the name of a sub-agent is shown whole where the name of its caller and the model have to be cut', async () => {
  const { container } = await render(
    <div style={{ width: 300 }}>
      <AgentFrame
        name="Reviewer"
        tile={null}
        style={{}}
        subAgentOf="Orchestrator of the whole department"
        facts={<SpeakerFacts model="a-model-with-a-long-name" at={AT} duration="27 ms" details="" />}
      >
        Words
      </AgentFrame>
    </div>,
  );
  const name = container.querySelector('header b')!;
  expect(name.scrollWidth).toBeLessThanOrEqual(name.clientWidth);
  expect(container.querySelector('header')!.scrollWidth).toBeLessThanOrEqual(300);
});

test.each([
  [700, true],
  [150, false],
])('in a head of %i pixels the model stands with the dot after it, or neither does', async (width, isThere) => {
  const { container } = await render(
    <div style={{ width }}>
      <AgentFrame
        name="Principal Reviewer"
        at={AT}
        tile={null}
        style={{}}
        subAgentOf="Orchestrator"
        facts={<SpeakerFacts model="a-model" at={AT} duration={null} details="" />}
      >
        Words
      </AgentFrame>
    </div>,
  );
  const head = container.querySelector('header')!;
  const isSeen = (words: string) => {
    const part = [...head.querySelectorAll('span')].findLast((span) => span.textContent === words)!;
    const { left, top, width, height } = part.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === part;
  };
  expect([isSeen('a-model'), isSeen('·')]).toEqual([isThere, isThere]);
});
