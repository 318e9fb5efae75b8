import { useState } from 'react';
import { expect, test } from 'vitest';
import { MessageParts, Reasoning } from '../../web/features/conversation/message-parts.tsx';
import { liveCall, type ShownCall } from '../../web/features/conversation/shown-parts.ts';
import { ToolRow } from '../../web/features/conversation/tool-row.tsx';
import { Fixture } from './fixture.tsx';
import { approval, call } from './fixtures.ts';

const ENDED = '2026-01-01T10:00:01.250Z';

test('a call is one line; what it said is not there until somebody opens it', async () => {
  const done = call('complete', { output: 'The whole plan.', outputBytes: 15, endedAt: ENDED });
  const screen = await new Fixture().show(<ToolRow call={liveCall(done, null)} />);
  const line = screen.getByRole('button', { name: /notes_read/ });
  await expect.element(line).toHaveAttribute('aria-expanded', 'false');
  await expect.element(line).toMatchTextContent('plan');
  await expect.element(line).not.toMatchTextContent('name=');
  await expect.element(line).toMatchTextContent('1.3 s');
  expect(screen.container.textContent).not.toContain('The whole plan.');
  await line.click();
  await expect.element(screen.getByText('The whole plan.')).toBeVisible();
  await line.click();
  await expect.poll(() => screen.container.textContent).not.toContain('The whole plan.');
});

test.each(['failed', 'rejected', 'denied'] as const)('a call that %s is open by itself', async (state) => {
  const bad = call(state, { output: 'No such note.', outputBytes: 13, endedAt: ENDED });
  const screen = await new Fixture().show(<ToolRow call={liveCall(bad, null)} />);
  await expect.element(screen.getByText('No such note.')).toBeVisible();
  await expect.element(screen.getByRole('button')).toHaveAttribute('aria-expanded', 'true');
});

test('a call that waits for the person asks where it stands', async () => {
  const fixture = new Fixture();
  fixture.change({ actions: new Map([['a1', approval('a1')]]) });
  const screen = await fixture.show(<ToolRow call={liveCall(call('waiting', { actionId: 'a1' }), null)} />);
  const card = screen.getByRole('group', { name: 'coder wants to use shell' });
  await expect.element(card).toBeVisible();
  // Nothing else says what the card says.
  expect(screen.container.textContent).not.toContain('notes_read');
  fixture.change({ actions: new Map() });
  await expect.element(card).not.toBeInTheDocument();
});

test('work given with agents_message is announced in amber, and its answer stands in the amber frame of its agent', async () => {
  const input = '{"agentId":"critic","content":"Check the totals"}';
  const output = '{"status":"complete","response":"They are **right**.","sessionId":"s2","toolCallCount":1}';
  const done = call('complete', { name: 'agents_message', input, output, outputBytes: 80, endedAt: ENDED });
  const screen = await new Fixture().show(<ToolRow call={liveCall(done, null)} />);
  await expect.element(screen.getByText('Delegating to critic: Check the totals')).toBeVisible();
  const frame = screen.getByRole('article', { name: 'critic' });
  await expect.element(frame.getByText('right', { exact: true })).toBeVisible();
  await expect.element(frame.getByText('Used 1 tool')).toBeVisible();
  const probe = document.createElement('i');
  probe.style.color = 'var(--delegate)';
  frame.element().append(probe);
  const { borderLeftColor, borderLeftWidth } = getComputedStyle(frame.element());
  expect([borderLeftColor, borderLeftWidth]).toEqual([getComputedStyle(probe).color, '2px']);
});

test.each([
  [2_300, /^Reasoning · 2\.3 s$/],
  [40, /^Reasoning$/],
  [null, /^Reasoning$/],
])('thoughts that took %s ms say so where it is worth knowing', async (durationMs, name) => {
  const screen = await new Fixture().show(<Reasoning text="Miles?" isLive={false} durationMs={durationMs} />);
  await expect.element(screen.getByRole('button', { name })).toBeVisible();
});

test('what was cut off is read when it is asked for', async () => {
  const fixture = new Fixture({ 'GET /api/tool-calls/c1/output': 'All of it, to the end.' });
  const long = call('complete', { output: 'All of', outputBytes: 22, endedAt: ENDED });
  const screen = await fixture.show(<ToolRow call={liveCall(long, null)} />);
  await screen.getByRole('button', { name: /notes_read/ }).click();
  await screen.getByRole('button', { name: 'Show full output' }).click();
  await expect.element(screen.getByText('All of it, to the end.')).toBeVisible();
});

test('a call that is under way says how far it is', async () => {
  const screen = await new Fixture().show(<ToolRow call={liveCall(call('running'), '3 of 9 pages')} />);
  await expect.element(screen.getByRole('button', { name: /3 of 9 pages/ })).toBeVisible();
});

test('what the person answered stays with the call, and its time leaves out how long they took', async () => {
  const answers = [
    { question: 'Which colour?', declined: false, text: 'blue', values: [] },
    { question: 'Anything else?', declined: true, text: null, values: [] },
  ];
  const endedAt = '2026-01-01T10:27:44.000Z';
  const done = call('complete', { output: '{}', outputBytes: 2, endedAt, waitedMs: 832_000, answers });
  const screen = await new Fixture().show(<ToolRow call={liveCall(done, null)} />);
  await expect.element(screen.getByText('Which colour?')).toBeVisible();
  await expect.element(screen.getByText('You answered: blue')).toBeVisible();
  await expect.element(screen.getByText("You didn't answer")).toBeVisible();
  await expect.element(screen.getByText('13 m 52 s')).toBeVisible();
});

test('finished calls that follow each other are one line that opens; what runs, failed or waits is in sight', async () => {
  const screen = await new Fixture().show(<Growing />);
  const group = screen.getByRole('button', { name: /Used 20 tools/ });
  await expect.element(group).toHaveAttribute('aria-expanded', 'false');
  await expect.element(screen.getByRole('button', { name: /^Done tool_done7/ })).not.toBeInTheDocument();
  for (const name of [/tool_bad/, /tool_one/, /tool_two/, /tool_last/])
    await expect.element(screen.getByRole('button', { name })).toBeVisible();
  await expect.element(screen.getByText('No such note.')).toBeVisible();
  await group.click();
  await expect.element(screen.getByRole('button', { name: /^Done tool_done7/ })).toBeVisible();

  await screen.getByRole('button', { name: /tool_one/ }).click();
  await screen.getByRole('button', { name: 'End' }).click();
  await expect.element(screen.getByRole('button', { name: /Used 3 tools/ })).toHaveAttribute('aria-expanded', 'true');
  await expect
    .element(screen.getByRole('button', { name: /tool_one/ }).last())
    .toHaveAttribute('aria-expanded', 'true');
});

const part = (id: string, given: Partial<ShownCall>) => {
  const shown = { ...liveCall(call('complete', { id, name: `tool_${id}`, endedAt: ENDED }), null), ...given };
  return { key: id, kind: 'call' as const, call: shown };
};
const parts = (last: Partial<ShownCall>) => [
  ...Array.from({ length: 20 }, (_, at) => part(`done${at}`, {})),
  part('bad', { state: 'failed', output: 'No such note.' }),
  part('one', {}),
  part('two', {}),
  part('last', last),
];
function Growing() {
  const [isOver, setOver] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOver(true)}>
        End
      </button>
      <MessageParts parts={parts(isOver ? {} : { state: 'running', durationMs: null })} />
    </>
  );
}

test('a question that was answered shows its words, its fields and the answer, and nothing as JSON', async () => {
  const input = JSON.stringify({
    question: 'How do you take your tea?',
    fields: [
      { name: 'milk', type: 'boolean', label: 'With milk' },
      { name: 'size', type: 'choice', options: ['small', 'large'] },
    ],
  });
  const answers = [
    {
      question: 'How do you take your tea?',
      declined: false,
      text: null,
      values: [
        { label: 'With milk', value: true },
        { label: 'size', value: 'large' },
      ],
    },
  ];
  const output = '{"values":{"milk":true,"size":"large"}}';
  const done = call('complete', { name: 'ask_user', input, answers, output, outputBytes: 40, endedAt: ENDED });
  const screen = await new Fixture().show(<ToolRow call={liveCall(done, null)} />);
  const line = screen.getByRole('button', { name: /ask_user/ });
  await expect.element(screen.getByText('How do you take your tea?')).toBeVisible();
  await line.click();
  await expect.element(screen.getByText('size: small, large')).toBeVisible();
  await expect.element(screen.getByText('You answered: With milk: Yes · size: large')).toBeVisible();
  expect(screen.container.textContent).not.toMatch(/[{}[\]"]/);
});
