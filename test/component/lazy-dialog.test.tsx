import { useState } from 'react';
import { expect, test } from 'vitest';
import { lazyDialog } from '../../web/ui/lazy-dialog.tsx';
import type { LazyPart } from '../../web/ui/lazy-part.tsx';
import { Fixture } from './fixture.tsx';

interface Props {
  onClose(): void;
}

function Loaded() {
  return <p>The dialog</p>;
}

/** A dialog whose script cannot be loaded so many times. */
function dialogAfter(failures: number): LazyPart<Props> {
  let left = failures;
  return lazyDialog<Props>(async () => {
    left -= 1;
    if (left >= 0) throw new Error('connection lost');
    return Loaded;
  });
}

function Page({ dialog: Dialog }: { dialog: LazyPart<Props> }) {
  const [isOpen, setOpen] = useState(true);
  return isOpen ? <Dialog onClose={() => setOpen(false)} /> : <p>Closed</p>;
}

test('a dialog whose script fails to load once opens all the same', async () => {
  const screen = await new Fixture().show(<Page dialog={dialogAfter(1)} />);
  await expect.element(screen.getByText('The dialog')).toBeVisible();
});

test('a dialog whose script cannot be loaded counts as closed', async () => {
  const screen = await new Fixture().show(<Page dialog={dialogAfter(100)} />);
  await expect.element(screen.getByText('Closed')).toBeVisible();
});
