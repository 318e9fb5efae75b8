import { expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { LeavingDialog } from '../../web/markdown/leaving.tsx';
import { Markdown } from '../../web/markdown/markdown.tsx';

const EVERYTHING = [
  '# A title\n\nSome **bold**, *slanted* and `code` words, ~~not this~~, a [link](https://example.com/a?b=c).',
  'Setext\n======\n\n- one\n- two\n  1. nested\n  2. again\n\n- [x] done\n- [ ] open',
  '> quoted\ncarried on lazily\n\n| a | b |\n|:--|--:|\n| 1 | **2** |\n\n---',
  '```ts\nconst answer: number = 42;\n// <b>not bold</b>\n```\n\n<div>\nraw html\n</div>',
  'A [reference][r] that is explained later.\n\n> Quoted, [again][r]\n\n- listed, [again][r]\n\n[r]: https://example.org/later',
  'The very last words.',
].join('\n\n');

test('what grows letter by letter looks at every moment like what was there at once', async () => {
  const grown = await render(<Markdown text="" />);
  for (let end = 1; end <= EVERYTHING.length; end += 7) {
    const so = EVERYTHING.slice(0, end);
    await grown.rerender(<Markdown text={so} />);
    const whole = await render(<Markdown text={so} />);
    expect([so, plain(grown.container)]).toEqual([so, plain(whole.container)]);
    await whole.unmount();
  }
});

test('a task in a list is a box to tick and its words', async () => {
  const screen = await render(<Markdown text={'- [x] tight\n- [ ] open\n\nand\n\n- [x] loose\n\n- [ ] also'} />);
  await expect.element(screen.getByRole('checkbox', { name: 'tight' })).toBeChecked();
  expect(
    screen
      .getByRole('listitem')
      .elements()
      .map((item) => item.textContent),
  ).toEqual(['tight', 'open', 'loose', 'also']);
});

test('a finished block of code is coloured and says its words; an open one waits', async () => {
  const screen = await render(<Markdown text={'```ts\nconst answer = 42;'} />);
  const code = () => screen.container.querySelector('pre code')!;
  expect(code().textContent).toBe('const answer = 42;');
  expect(code().querySelector('span')).toBeNull();
  await screen.rerender(<Markdown text={'```ts\nconst answer = 42;\n```\n\nDone.'} />);
  await expect.poll(() => code().querySelector('.hl-keyword')?.textContent).toBe('const');
  expect(code().textContent).toBe('const answer = 42;');
});

test('no picture is fetched from anywhere else; one of our own is shown', async () => {
  const words =
    '![a](https://evil.test/a.png) ![b](//evil.test/b.png) ![c](data:image/svg+xml,<svg/>) ![d](/api/files/f1)';
  const screen = await render(<Markdown text={words} />);
  const pictures = [...screen.container.querySelectorAll('img')].map((image) => image.getAttribute('src'));
  expect(pictures).toEqual(['/api/files/f1']);
  await expect.element(screen.getByRole('link', { name: 'image from evil.test: a' })).toBeVisible();
});

test('links lead only where links may lead', async () => {
  const hostile = [
    'javascript:alert(1)',
    'JAVASCRIPT&colon;alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'https://a:b@evil.test/',
  ];
  const screen = await render(<Markdown text={hostile.map((href, at) => `[w${at}](${href})`).join(' ')} />);
  await expect.element(screen.getByText('w0')).toBeVisible();
  const hrefs = [...screen.container.querySelectorAll('a')].map((link) => link.href);
  // What names no scheme is a place of ours.
  expect(hrefs.filter((href) => !href.startsWith(`${location.origin}/`))).toEqual([]);
});

test('a link elsewhere shows its whole address first, and the keyboard comes back to it', async () => {
  const screen = await render(
    <>
      <Markdown text="See [bank.test](https://evil.test/login?from=bank)." />
      <LeavingDialog />
    </>,
  );
  const link = screen.getByRole('link', { name: 'bank.test (evil.test)' });
  await link.click();
  await expect.element(screen.getByRole('dialog').getByText('https://evil.test/login?from=bank')).toBeVisible();
  await screen.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument();
  await expect.element(link).toHaveFocus();
});

test('signs that hide or reorder others are shown', async () => {
  const screen = await render(<Markdown text={'```\nrm \u202Etxt.exe\n```\n'} />);
  await expect.element(screen.getByText('rm ⟨U+202E⟩txt.exe')).toBeVisible();
  await cleanup();
});

/** Without what only says when it was drawn. */
function plain(container: HTMLElement): string {
  return container.innerHTML.replaceAll(/<span(?: class="hl-[^"]*")?>|<\/span>/g, '');
}
