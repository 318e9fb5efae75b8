import { expect, test } from 'vitest';
import { cdp, userEvent } from 'vitest/browser';
import type { Mentions } from '../../contract/delegation.ts';
import { Composer } from '../../web/features/composer/composer.tsx';
import { agent, Fixture } from './fixture.tsx';
import { session, turn } from './fixtures.ts';

let made = 0;

/** A session of its own each time: drafts are kept. */
async function writing(mentions: Mentions = { answering: [], unknown: [] }) {
  const id = `writing-${++made}`;
  const path = `/api/sessions/${id}/messages`;
  const fixture = new Fixture({
    'GET /api/agents': {
      agents: [agent('coder', { attachments: ['text'] }), agent('critic'), agent('writer')],
      configuration: { valid: true, issues: [] },
    },
    'POST /api/files': { id: 'f1', name: 'Pasted text', bytes: 1, kind: 'text', mediaType: 'text/plain' },
    [`POST ${path}`]: { turnId: 't1', messageId: 'm1' },
    [`POST /api/sessions/${id}/mention-previews`]: mentions,
  });
  fixture.open({ session: session(id) });
  const screen = await fixture.show(
    <div style={{ paddingTop: 400 }}>
      <Composer sessionId={id} />
    </div>,
  );
  const box = screen.getByRole('textbox', { name: 'Message' });
  await expect.element(box).toHaveFocus();
  const sent = () =>
    fixture.asked.filter((asked) => asked.path === path).map(({ body }) => body as { content: string });
  return { fixture, screen, box, sent };
}

test('what is written has the direction of its own letters', async () => {
  const { box } = await writing();
  await box.fill('مرحبا');
  expect(getComputedStyle(box.element()).direction).toBe('rtl');
  await box.fill('Hello');
  expect(getComputedStyle(box.element()).direction).toBe('ltr');
});

test('Enter sends, Shift with Enter begins a line', async () => {
  const { box, sent } = await writing();
  await userEvent.keyboard('One{Shift>}{Enter}{/Shift}Two');
  await expect.element(box).toHaveValue('One\nTwo');
  await userEvent.keyboard('{Enter}');
  await expect.element(box).toHaveValue('');
  expect(sent()).toMatchObject([{ content: 'One\nTwo', busy: 'queue' }]);
});

test('Enter that ends a word of an input method sends nothing', async () => {
  const { box, sent } = await writing();
  await cdp().send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await expect.element(box).toHaveValue('にほん');
  // As browsers tell it: the key is the input method's.
  await cdp().send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 229,
  });
  await cdp().send('Input.insertText', { text: '日本' });
  await expect.element(box).toHaveValue('日本');
  expect(sent()).toEqual([]);
  await userEvent.keyboard('{Enter}');
  expect(sent()).toMatchObject([{ content: '日本' }]);
});

test('an @ offers agents; arrows choose, Enter takes, and the keyboard stays in the box', async () => {
  const { screen, box, sent } = await writing();
  await userEvent.keyboard('@');
  const list = screen.getByRole('listbox', { name: 'Suggestions' });
  await expect.element(list.getByRole('option', { name: /critic/ })).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{ArrowDown}');
  const chosen = list.getByRole('option', { selected: true });
  await expect.element(chosen).toMatchTextContent('writer');
  await expect.element(box).toHaveAttribute('aria-activedescendant', chosen.element().id);
  await userEvent.keyboard('{ArrowUp}{ArrowUp}');
  await expect.element(chosen).toMatchTextContent('Everyone');
  await userEvent.keyboard('{ArrowDown}{Enter}');
  await expect.element(box).toHaveValue('@critic ');
  await expect.element(box).toHaveFocus();
  await expect.element(list).not.toBeInTheDocument();
  expect(sent()).toEqual([]);
});

test('Escape closes what is offered until something else is begun; a click takes without taking the keyboard', async () => {
  const { screen, box } = await writing();
  const list = screen.getByRole('listbox');
  await userEvent.keyboard('@w');
  await expect.element(list).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(list).not.toBeInTheDocument();
  await userEvent.keyboard('r');
  await expect.element(box).toHaveValue('@wr');
  await expect.element(list).not.toBeInTheDocument();
  await box.fill('');
  await userEvent.keyboard('@wr');
  await list.getByRole('option', { name: /writer/ }).click();
  await expect.element(box).toHaveValue('@writer ');
  await expect.element(box).toHaveFocus();
});

test('a slash offers commands; an unknown one stays in the box and says so', async () => {
  const { screen, box, sent } = await writing();
  await userEvent.keyboard('/ren');
  await expect.element(screen.getByRole('option', { name: /\/rename/ })).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{Tab}');
  await expect.element(box).toHaveValue('/rename ');
  await box.fill('/nonsense');
  await userEvent.keyboard('{Enter}');
  await expect.element(screen.getByText(/Unknown command \/nonsense/)).toBeVisible();
  await expect.element(box).toHaveValue('/nonsense');
  await box.fill('//etc is a path');
  await userEvent.keyboard('{Enter}');
  expect(sent()).toMatchObject([{ content: '/etc is a path' }]);
});

test('what the server refuses is not lost: it can be sent again, changed or discarded', async () => {
  const id = `writing-${++made}`;
  const fixture = new Fixture({ [`POST /api/sessions/${id}/messages`]: new Error('That is too long.') });
  fixture.open({ session: session(id) });
  const screen = await fixture.show(<Composer sessionId={id} />);
  const box = screen.getByRole('textbox', { name: 'Message' });
  await box.fill('A long story');
  await userEvent.keyboard('{Enter}');
  const alert = screen.getByRole('alert');
  await expect.element(alert).toMatchTextContent('That is too long.');
  await alert.getByRole('button', { name: 'Edit' }).click();
  await expect.element(box).toHaveValue('A long story');
  await expect.element(alert).not.toBeInTheDocument();
});

test('a pasted text that is too long for one file becomes several, and one that is longer is refused', async () => {
  const { box, screen } = await writing();
  await userEvent.keyboard('@');
  await expect.element(screen.getByRole('option', { name: /critic/ })).toBeVisible();
  await userEvent.keyboard('{Backspace}');
  paste(box.element(), 'word '.repeat(64_000));
  await expect.element(screen.getByRole('button', { name: 'Open Pasted text 1.txt' })).toBeVisible();
  await expect.element(screen.getByRole('button', { name: 'Open Pasted text 2.txt' })).toBeVisible();
  await expect.element(box).toHaveValue('');
  paste(box.element(), 'word '.repeat(500_000));
  await expect
    .element(screen.getByText("The text wasn't pasted: it is 2.5 MB, and the limit is 1.6 MB."))
    .toBeVisible();
  await expect.element(box).toHaveValue('');
});

test('a name that is being typed is not called unknown while agents are suggested', async () => {
  const { screen } = await writing({ answering: [{ agentId: 'coder', guest: false }], unknown: ['cri'] });
  await userEvent.keyboard('@cri');
  await expect.element(screen.getByRole('option', { name: /critic/ })).toBeVisible();
  await expect.element(screen.getByText('Reply from coder', { exact: true })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(screen.getByText('Reply from coder · No agent called cri; sent as text.')).toBeVisible();
});

function paste(box: Element, words: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', words);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  // As a browser does it: what is not taken goes into the box.
  if (box.dispatchEvent(event)) document.execCommand('insertText', false, words);
}

test('steering is not offered while an agent replies that takes nothing in between', async () => {
  const { fixture, screen, box } = await replying('remote');
  await box.fill('One more thing');
  await screen.getByRole('button', { name: 'Send options' }).click();
  const item = screen.getByRole('menuitem', { name: /can't take messages while it replies/ });
  await expect.element(item).toHaveAttribute('aria-disabled', 'true');
  expect(fixture.asked.filter(({ path }) => path.endsWith('/messages'))).toEqual([]);
});

test('steering is offered while an agent replies that takes it', async () => {
  const { screen, box } = await replying('coder');
  await box.fill('One more thing');
  await screen.getByRole('button', { name: 'Send options' }).click();
  await expect.element(screen.getByRole('menuitem', { name: /^Steer/ })).not.toHaveAttribute('aria-disabled', 'true');
});

/** A session in which an agent speaks just now. */
async function replying(agentId: string) {
  const id = `replying-${++made}`;
  const agents = [agent('coder'), agent('remote', { steers: false })];
  const fixture = new Fixture({ 'GET /api/agents': { agents, configuration: { valid: true, issues: [] } } });
  fixture.open({
    session: session(id, { agentId, status: 'working' }),
    turns: [turn('t1', { sessionId: id, agentId, state: 'running' })],
  });
  const screen = await fixture.show(
    <div style={{ paddingTop: 400 }}>
      <Composer sessionId={id} />
    </div>,
  );
  return { fixture, screen, box: screen.getByRole('textbox', { name: 'Message' }) };
}
