import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { Action } from '../../contract/actions.ts';
import { ActionCard } from '../../web/actions/action-card.tsx';
import { ActionOfCall } from '../../web/actions/action-of-call.tsx';
import { approval } from './fixtures.ts';
import { World } from './world.tsx';

const PATH = '/api/actions/a1/answer';

test.each([
  ['Allow once', 'once'],
  ['Allow in this session', 'session'],
  ['Always allow', 'always'],
])('“%s” says so, once, and the buttons wait for what comes of it', async (name, decision) => {
  const world = new World();
  const screen = await world.show(<ActionCard action={approval('a1')} />);
  await screen.getByRole('button', { name }).click();
  expect(world.asked).toEqual([{ method: 'POST', path: PATH, body: { decision } }]);
  await expect.element(screen.getByRole('button', { name })).toBeDisabled();
});

test('exactly what will run is shown, hidden signs too', async () => {
  const input = JSON.stringify({ command: 'rm \u202Etxt.exe', more: 'x'.repeat(400) });
  const screen = await new World().show(<ActionCard action={approval('a1', { input })} />);
  await expect.element(screen.getByText(/rm ⟨U\+202E⟩txt\.exe/)).toBeVisible();
  await expect.element(screen.getByText(/x{400}/)).toBeVisible();
});

test('arguments are changed first; what is no JSON cannot be allowed', async () => {
  const world = new World();
  const screen = await world.show(<ActionCard action={approval('a1')} />);
  await screen.getByRole('button', { name: 'Change arguments' }).click();
  const box = screen.getByRole('textbox', { name: 'Arguments' });
  await box.fill('{"command": ');
  await expect.element(box).toHaveAttribute('aria-invalid', 'true');
  for (const name of ['Allow once', 'Allow in this session', 'Always allow'])
    await expect.element(screen.getByRole('button', { name })).toBeDisabled();
  await box.fill('{"command": "pwd"}');
  await screen.getByRole('button', { name: 'Allow once' }).click();
  expect(world.asked[0]?.body).toEqual({ decision: 'once', input: { command: 'pwd' } });
});

test('everything is done from the keyboard, also saying no and why', async () => {
  const world = new World();
  const screen = await world.show(<ActionCard action={approval('a1')} />);
  await expect.element(screen.getByRole('button', { name: 'Allow once' })).toBeVisible();
  await tabTo('Deny');
  await userEvent.keyboard('{Enter}');
  await expect.element(screen.getByRole('textbox', { name: 'Why not? The agent is told.' })).toHaveFocus();
  await userEvent.keyboard('Not today.{Enter}');
  expect(world.asked).toEqual([{ method: 'POST', path: PATH, body: { decision: 'deny', reason: 'Not today.' } }]);
});

test('after the answer the keyboard is where the person goes on', async () => {
  const world = new World();
  world.change({ actions: new Map([['a1', approval('a1')]]) });
  const screen = await world.show(
    <>
      <ActionOfCall actionId="a1" />
      <section data-composer="">
        <textarea aria-label="Message" />
      </section>
    </>,
  );
  await screen.getByRole('button', { name: 'Allow once' }).click();
  world.change({ actions: new Map() });
  await expect.element(screen.getByRole('textbox', { name: 'Message' })).toHaveFocus();
});

test('an answer that was not accepted can be given again', async () => {
  const world = new World({ [`POST ${PATH}`]: new Error('Somebody else has answered.') });
  const screen = await world.show(<ActionCard action={approval('a1')} />);
  await screen.getByRole('button', { name: 'Allow once' }).click();
  await expect.element(screen.getByText('Somebody else has answered.')).toBeVisible();
  await expect.element(screen.getByRole('button', { name: 'Allow once' })).toBeEnabled();
});

test('a question is a form of the fields that were asked for', async () => {
  const world = new World();
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
  const screen = await world.show(<ActionCard action={asking} />);
  await screen.getByRole('button', { name: 'Answer', exact: true }).click();
  expect(world.asked).toEqual([]);
  await screen.getByRole('combobox', { name: 'Colour *' }).selectOptions('blue');
  await screen.getByRole('spinbutton', { name: 'How many' }).fill('3');
  await screen.getByRole('checkbox', { name: 'A gift' }).click();
  await screen.getByRole('button', { name: 'Answer', exact: true }).click();
  expect(world.asked[0]?.body).toEqual({ decision: 'answer', values: { colour: 'blue', count: 3, gift: true } });
});

/** Presses Tab until the button of that name has the keyboard. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    if (document.activeElement?.textContent === name) return;
    await userEvent.keyboard('{Tab}');
  }
  throw new Error(`Tab never comes to ${name}`);
}
