import { useState } from 'react';
import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { Button } from '../../web/ui/button.tsx';
import { Dialog } from '../../web/ui/dialog.tsx';
import { Menu, MenuItem } from '../../web/ui/menu.tsx';
import { notify } from '../../web/ui/toast.tsx';
import { Fixture } from './fixture.tsx';

function Asking() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Ask</Button>
      <Button>Behind</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Are you sure?" footer={<Button>Do it</Button>}>
        <input aria-label="Name" />
      </Dialog>
    </>
  );
}

test.each([
  ['Escape', () => userEvent.keyboard('{Escape}')],
  ['the cross', () => userEvent.click(document.querySelector('[role="dialog"] [aria-label="Close"]')!)],
])('a dialog takes the keyboard in, keeps it, and %s gives it back to whoever opened it', async (_, close) => {
  const screen = await new Fixture().show(<Asking />);
  const opener = screen.getByRole('button', { name: 'Ask' });
  await opener.click();
  const dialog = screen.getByRole('dialog', { name: 'Are you sure?' });
  await expect.element(dialog).toBeVisible();
  for (let presses = 0; presses < 8; presses++) {
    await expect.poll(() => dialog.element().contains(document.activeElement)).toBe(true);
    await userEvent.keyboard('{Tab}');
  }
  await close();
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
});

test('a notice goes when what it offers was done', async () => {
  const undone: string[] = [];
  const screen = await new Fixture().show(<p>Page</p>);
  const undo = { label: 'Undo', run: () => void undone.push('deletion') };
  notify({ title: 'Deleted', undo, ms: 60_000 });
  await screen.getByRole('button', { name: 'Undo' }).click();
  await expect.element(screen.getByText('Deleted', { exact: true })).not.toBeInTheDocument();
  expect(undone).toEqual(['deletion']);
});

test.each([
  ['the first click', (more: HTMLElement) => more.click()],
  ['the first Enter', () => userEvent.keyboard('{Enter}')],
  ['the first arrow', () => userEvent.keyboard('{ArrowDown}')],
])('%s opens a menu and moves the keyboard into it; Escape closes it and gives the keyboard back', async (_, open) => {
  const screen = await new Fixture().show(
    <Menu trigger={<Button>More</Button>}>
      <MenuItem onSelect={() => undefined}>One</MenuItem>
    </Menu>,
  );
  const more = screen.getByRole('button', { name: 'More' });
  await expect.element(more).toHaveAttribute('aria-haspopup', 'menu');
  for (let times = 0; times < 2; times++) {
    const trigger = more.element() as HTMLElement;
    trigger.focus();
    await open(trigger);
    await expect.element(screen.getByRole('menu')).toBeVisible();
    await expect.poll(() => screen.getByRole('menu').element().contains(document.activeElement)).toBe(true);
    await expect.element(more).toHaveAttribute('aria-expanded', 'true');
    await userEvent.keyboard('{Escape}');
    await expect.element(screen.getByRole('menu')).not.toBeInTheDocument();
    await expect.element(more).toHaveFocus();
    await expect.element(more).toHaveAttribute('aria-expanded', 'false');
  }
});

test('a menu is walked with the arrows, does what was chosen, and gives the keyboard back', async () => {
  const done: string[] = [];
  const screen = await new Fixture().show(
    <Menu trigger={<Button>More</Button>}>
      <MenuItem onSelect={() => done.push('one')}>One</MenuItem>
      <MenuItem disabled onSelect={() => done.push('two')}>
        Two
      </MenuItem>
      <MenuItem onSelect={() => done.push('three')}>Three</MenuItem>
    </Menu>,
  );
  const more = screen.getByRole('button', { name: 'More' });
  await expect.element(more).toBeVisible();
  more.element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(screen.getByRole('menuitem', { name: 'One' })).toHaveFocus();
  await userEvent.keyboard('{End}{Enter}');
  await expect.element(screen.getByRole('menu')).not.toBeInTheDocument();
  expect(done).toEqual(['three']);
  await expect.element(more).toHaveFocus();
});
