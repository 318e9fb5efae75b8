import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { Action } from '../../contract/actions.ts';
import { ActionCard } from '../../web/features/actions/action-card.tsx';
import { ActionOfCall } from '../../web/features/conversation/tool-row.tsx';
import { notify } from '../../web/ui/toast.tsx';
import { agent, Fixture } from './fixture.tsx';
import { approval } from './fixtures.ts';

const PATH = '/api/actions/a1/answer';
const REASON = 'Reason (optional, shown to the agent)';

test.each([
  ['Allow once', 'once'],
  ['Allow in this session', 'session'],
  ['Always allow', 'always'],
])('“%s” says so, once, and the buttons wait for what comes of it', async (name, decision) => {
  const fixture = new Fixture();
  const screen = await fixture.show(<ActionCard action={approval('a1', { risk: 'write' })} />);
  await screen.getByRole('button', { name }).click();
  expect(fixture.asked).toEqual([{ method: 'POST', path: PATH, body: { decision } }]);
  await expect.element(screen.getByRole('button', { name })).toBeDisabled();
});

test.each([
  ['Allow in this session', 'session', 'coder will run shell with any arguments in this session without asking.'],
  ['Always allow', 'always', 'coder will run shell with any arguments, in every session, without asking.'],
])('“%s” of a tool that runs commands first says what that allows', async (name, decision, words) => {
  const fixture = new Fixture();
  const screen = await fixture.show(<ActionCard action={approval('a1')} />);
  await screen.getByRole('button', { name }).click();
  const dialog = screen.getByRole('dialog');
  await expect.element(dialog.getByText(words, { exact: false })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(fixture.asked).toEqual([]);
  await screen.getByRole('button', { name }).click();
  await screen.getByRole('dialog').getByRole('button', { name }).click();
  expect(fixture.asked[0]?.body).toEqual({ decision });
});

test('agents are called by their names; one that no longer exists by its id, marked where the id is a word for the person', async () => {
  const agents = [agent('coder', { displayName: 'Coder' }), agent('critic', { displayName: 'Critic' })];
  const fixture = new Fixture({ 'GET /api/agents': { agents, configuration: { valid: true, issues: [] } } });
  const chain = ['critic', 'gone', 'user', 'coder'].map((agentId) => ({ agentId, sessionId: 's1', turnId: 't1' }));
  const screen = await fixture.show(<ActionCard action={{ ...approval('a1'), chain }} />);
  await expect.element(screen.getByRole('heading', { name: 'Coder wants to use shell' })).toBeVisible();
  await expect.element(screen.getByText('On behalf of Critic → gone → agent "user"')).toBeVisible();
});

test.each([
  ['model_unauthorized', 'The provider rejected the API key', 'Open coder'],
  ['model_rate_limited', 'Rate limit reached. Wait a moment, then retry', 'Try again'],
  ['model_context_overflow', 'The conversation is too long for this model', 'Compact and retry'],
  ['agent_not_found', 'This agent no longer exists. Choose another one', 'Dismiss'],
])(
  'a failure (%s) says why in one line, offers the fitting action first and folds what the provider said',
  async (code, cause, first) => {
    const failure = { code, message: 'HTTP 4xx: {"error":"in the words of the provider"}', retryable: true };
    const card = { ...approval('a1'), kind: 'failure' as const, approval: null, failure };
    const screen = await new Fixture().show(<ActionCard action={card} />);
    await expect.element(screen.getByRole('heading', { name: `coder failed: ${cause}` })).toBeVisible();
    const actions = screen.container.querySelectorAll('fieldset :is(button, a)');
    await expect.poll(() => screen.container.querySelector('fieldset :is(button, a)')?.textContent).toBe(first);
    expect(actions.length).toBeLessThanOrEqual(3);
    await expect.element(screen.getByText(/in the words of the provider/)).not.toBeVisible();
    await screen.getByText('Details').click();
    await expect.element(screen.getByText(/in the words of the provider/)).toBeVisible();
  },
);

test('a command is shown as the text it is, with its folder and with what cannot be seen marked', async () => {
  const command = 'cd build\nrm \u202Etxt.exe "a\u200Bb" \u{E0100}\u3164';
  const input = JSON.stringify({ command, background: true });
  const screen = await new Fixture().show(<ActionCard action={approval('a1', { input, folder: '/srv/si\u200Bte' })} />);
  await expect.element(screen.getByText('/srv/si⟨U+200B⟩te')).toBeVisible();
  const shown = screen.container.querySelector('pre')!;
  expect(shown.textContent).toBe('cd build\nrm ⟨U+202E⟩txt.exe "a⟨U+200B⟩b" ⟨U+E0100⟩⟨U+3164⟩');
  expect(getComputedStyle(shown).whiteSpace).toContain('pre');
  await expect.element(screen.getByText('background', { exact: true })).toBeVisible();
  expect(screen.container.textContent!.split('shell')).toHaveLength(2);
});

test('an edit is shown as the lines that go and the lines that come', async () => {
  const input = JSON.stringify({ path: 'a.ts', find: 'one\ntwo', replace: 'three' });
  const screen = await new Fixture().show(<ActionCard action={approval('a1', { input })} />);
  await expect.element(screen.getByText('a.ts', { exact: true })).toBeVisible();
  const shown = [...screen.container.querySelectorAll('figure pre')].map(({ textContent }) => textContent);
  expect(shown).toEqual(['- one\n- two', '+ three']);
});

test.each([
  ['of many lines', Array.from({ length: 41 }, (_, line) => `echo ${line}`).join('\n')],
  ['of many empty lines', `ls${'\n'.repeat(60)}rm -rf /`],
  ['of one very long line', `ls ${'x'.repeat(6000)} ; rm -rf /`],
])('a command %s can be allowed only after its end was shown', async (_name, command) => {
  const fixture = new Fixture();
  const screen = await fixture.show(<ActionCard action={approval('a1', { input: JSON.stringify({ command }) })} />);
  const allow = screen.getByRole('button', { name: 'Allow once' });
  await expect.element(allow).toBeDisabled();
  const total = command.split('\n').length;
  const left = total - screen.container.querySelector('pre')!.textContent!.split('\n').length;
  await expect.element(screen.getByRole('button', { name: new RegExp(`Show ${left || 1} more`) })).toBeVisible();
  await screen.getByRole('button', { name: 'Edit arguments' }).click();
  await expect.element(allow).toBeDisabled();
  await screen.getByRole('button', { name: 'Reset' }).click();
  (document.activeElement as HTMLElement).blur();
  await expect.element(screen.getByRole('button', { name: 'Deny' })).toBeEnabled();
  await new Promise((resolve) => setTimeout(resolve, 600));
  await userEvent.keyboard('y');
  expect(fixture.asked).toEqual([]);
  await screen.getByRole('button', { name: /Show \d+ more lines?/ }).click();
  const block = screen.container.querySelector('pre')!;
  expect(block.textContent).toBe(command);
  expect(block.scrollHeight).toBeLessThanOrEqual(block.clientHeight);
  await expect.element(allow).toBeEnabled();
});

test('Y allows and N denies, but not while typing, by a key that is held, or as soon as the card is there', async () => {
  const fixture = new Fixture();
  const screen = await fixture.show(
    <>
      <textarea aria-label="Message" />
      <ActionCard action={approval('a1')} />
    </>,
  );
  await expect.element(screen.getByText('Y', { exact: true })).toBeVisible();
  // In the page: by way of the driver it could come half a second later.
  dispatchEvent(new KeyboardEvent('keydown', { key: 'y' }));
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(fixture.asked).toEqual([]);
  await screen.getByRole('textbox', { name: 'Message' }).click();
  await userEvent.keyboard('yn');
  (document.activeElement as HTMLElement).blur();
  dispatchEvent(new KeyboardEvent('keydown', { key: 'y', repeat: true }));
  expect(fixture.asked).toEqual([]);
  await userEvent.keyboard('n');
  await expect.element(screen.getByRole('textbox', { name: REASON })).toHaveFocus();
  await screen.getByRole('heading').click();
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard('y');
  await expect.poll(() => fixture.asked[0]?.body).toEqual({ decision: 'once' });
});

test('of two cards, a key answers the one that has the focus, else the upper one', async () => {
  const fixture = new Fixture();
  const screen = await fixture.show(
    <>
      <ActionCard action={approval('a1')} />
      <ActionCard action={approval('a2')} />
    </>,
  );
  await expect.element(screen.getByText('Y', { exact: true })).toBeVisible();
  const cards = screen.container.querySelectorAll('[data-action-card]');
  expect([...cards].map((card) => card.textContent!.includes('Allow onceY'))).toEqual([true, false]);
  await screen.getByRole('button', { name: 'Edit arguments' }).nth(1).click();
  await expect.poll(() => cards[1]!.textContent).toContain('Allow onceY');
  expect(cards[0]!.textContent).not.toContain('Allow onceY');
});

test('arguments are changed first; what is no JSON cannot be allowed', async () => {
  const fixture = new Fixture();
  const screen = await fixture.show(<ActionCard action={approval('a1')} />);
  await screen.getByRole('button', { name: 'Edit arguments' }).click();
  const box = screen.getByRole('textbox', { name: 'Arguments' });
  await box.fill('{"command": ');
  await expect.element(box).toHaveAttribute('aria-invalid', 'true');
  await expect.element(box).toHaveAccessibleDescription(/^Not valid JSON: ./);
  for (const name of ['Allow once', 'Allow in this session', 'Always allow'])
    await expect.element(screen.getByRole('button', { name })).toBeDisabled();
  await box.fill('{"command": "pwd"}');
  await screen.getByRole('button', { name: 'Allow once' }).click();
  expect(fixture.asked[0]?.body).toEqual({ decision: 'once', input: { command: 'pwd' } });
});

test('the arguments to edit show characters that cannot be seen as escapes, and keep them', async () => {
  const fixture = new Fixture();
  const command = 'rm \u202Etxt.exe \u{E0100}';
  const screen = await fixture.show(<ActionCard action={approval('a1', { input: JSON.stringify({ command }) })} />);
  await screen.getByRole('button', { name: 'Edit arguments' }).click();
  const box = screen.getByRole('textbox', { name: 'Arguments' });
  const shown = (box.element() as HTMLTextAreaElement).value;
  expect(shown).toBe('{\n  "command": "rm \\u202etxt.exe \\udb40\\udd00"\n}');
  await box.fill(shown.replace('rm', 'ls'));
  await screen.getByRole('button', { name: 'Allow once' }).click();
  expect(fixture.asked[0]?.body).toEqual({ decision: 'once', input: { command: command.replace('rm', 'ls') } });
});

test('Escape closes the box for arguments or for a reason, and the card keeps the focus', async () => {
  const screen = await new Fixture().show(<ActionCard action={approval('a1')} />);
  for (const [button, box] of [
    ['Edit arguments', 'Arguments'],
    ['Deny', REASON],
  ] as const) {
    await screen.getByRole('button', { name: button }).click();
    await expect.element(screen.getByRole('textbox', { name: box })).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.element(screen.getByRole('textbox', { name: box })).not.toBeInTheDocument();
    await expect.element(screen.getByRole('button', { name: button })).toHaveFocus();
  }
});

test('keys answer a card whose Allow button and end of the command are on screen', async () => {
  const fixture = new Fixture();
  const screen = await fixture.show(
    <div data-testid="frame" style={{ height: 600, overflow: 'auto' }}>
      <ActionCard action={approval('a1')} />
    </div>,
  );
  const frame = screen.getByTestId('frame').element() as HTMLElement;
  await expect.element(screen.getByText('Y', { exact: true })).toBeVisible();
  const bottom = screen.getByRole('button', { name: 'Allow once' }).element().getBoundingClientRect().bottom;
  frame.style.height = `${bottom - frame.getBoundingClientRect().top - 8}px`;
  await expect.element(screen.getByText('Y', { exact: true })).not.toBeInTheDocument();
  frame.style.height = '60px';
  frame.scrollTop = 10_000;
  await new Promise((resolve) => setTimeout(resolve, 600));
  await userEvent.keyboard('y');
  expect(fixture.asked).toEqual([]);
});

test('keys answer a card while a notice is shown', async () => {
  const fixture = new Fixture();
  const screen = await fixture.show(<ActionCard action={approval('a1')} />);
  await expect.element(screen.getByText('Y', { exact: true })).toBeVisible();
  notify({ title: 'Something happened' });
  await expect.element(screen.getByText('Something happened')).toBeVisible();
  await new Promise((resolve) => setTimeout(resolve, 600));
  await userEvent.keyboard('y');
  await expect.poll(() => fixture.asked[0]?.body).toEqual({ decision: 'once' });
});

test('everything is done from the keyboard, also saying no and why', async () => {
  const fixture = new Fixture();
  const screen = await fixture.show(<ActionCard action={approval('a1')} />);
  await expect.element(screen.getByRole('button', { name: 'Allow once' })).toBeVisible();
  await tabTo('Deny');
  await userEvent.keyboard('{Enter}');
  await expect.element(screen.getByRole('textbox', { name: REASON })).toHaveFocus();
  await userEvent.keyboard('Not today.{Enter}');
  expect(fixture.asked).toEqual([{ method: 'POST', path: PATH, body: { decision: 'deny', reason: 'Not today.' } }]);
});

test('after the answer the keyboard is where the person goes on', async () => {
  const fixture = new Fixture();
  fixture.change({ actions: new Map([['a1', approval('a1')]]) });
  const screen = await fixture.show(
    <>
      <ActionOfCall actionId="a1" />
      <section data-composer="">
        <textarea aria-label="Message" />
      </section>
    </>,
  );
  await screen.getByRole('button', { name: 'Allow once' }).click();
  fixture.change({ actions: new Map() });
  await expect.element(screen.getByRole('textbox', { name: 'Message' })).toHaveFocus();
});

test('an answer that was not accepted can be given again', async () => {
  const fixture = new Fixture({ [`POST ${PATH}`]: new Error('Somebody else has answered.') });
  const screen = await fixture.show(<ActionCard action={approval('a1')} />);
  await screen.getByRole('button', { name: 'Allow once' }).click();
  await expect.element(screen.getByText('Somebody else has answered.')).toBeVisible();
  await expect.element(screen.getByRole('button', { name: 'Allow once' })).toBeEnabled();
});

test('a question is a form of the fields that were asked for', async () => {
  const fixture = new Fixture();
  const asking: Action = {
    ...approval('a1'),
    kind: 'question',
    title: 'coder asks',
    approval: null,
    question: {
      question: 'Which one?',
      fields: [
        { name: 'colour', label: 'Colour', type: 'choice', options: ['red', 'blue'], required: true },
        { name: 'count', label: 'How many', type: 'integer' },
        { name: 'gift', label: 'A gift', type: 'boolean' },
      ],
    },
  };
  const screen = await fixture.show(<ActionCard action={asking} />);
  await screen.getByRole('button', { name: 'Answer', exact: true }).click();
  expect(fixture.asked).toEqual([]);
  await screen.getByRole('combobox', { name: 'Colour *' }).selectOptions('blue');
  await screen.getByRole('spinbutton', { name: 'How many' }).fill('3');
  await screen.getByRole('checkbox', { name: 'A gift' }).click();
  await screen.getByRole('button', { name: 'Answer', exact: true }).click();
  expect(fixture.asked[0]?.body).toEqual({ decision: 'answer', values: { colour: 'blue', count: 3, gift: true } });
});

/** Presses Tab until the button of that name has the keyboard. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    if (document.activeElement?.textContent?.startsWith(name)) return;
    await userEvent.keyboard('{Tab}');
  }
  throw new Error(`Tab never comes to ${name}`);
}
