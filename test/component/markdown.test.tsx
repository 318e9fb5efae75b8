import { expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { LeavingDialog } from '../../web/markdown/leaving.tsx';
import { Markdown } from '../../web/markdown/markdown.tsx';
import { Fixture } from './fixture.tsx';

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
  const fixture = new Fixture({ 'GET /api/files/f1': {} });
  const screen = await fixture.show(<Markdown text={words} />);
  // Loaded with the credentials of the page and shown from memory.
  const pictures = () => [...screen.container.querySelectorAll('img')].map((image) => image.src.split(':')[0]);
  await expect.poll(pictures).toEqual(['blob']);
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

test('characters that cannot be seen are marked in prose; emoji, Arabic and Persian stay as they are', async () => {
  const screen = await render(<Markdown text={'pay \u202Etxt.exe and `a\u200Bb`\n\n👨‍👩‍👧 ❤️ می‌خواهم العربية'} />);
  const marks = [...screen.container.querySelectorAll('.unseen')].map((mark) => mark.textContent);
  expect(marks).toEqual(['U+202E', 'U+200B']);
  expect(screen.container.textContent).toContain('👨‍👩‍👧 ❤️ می‌خواهم العربية');
});

test('each paragraph, list item and cell has the direction of its own words, and code is left to right', async () => {
  const text = 'English.\n\nעברית.\n\n- مرحبا\n\n| שם |\n|---|\n| أحمد |\n\n```\nx = 1\n```\n';
  const { container } = await render(<Markdown text={text} />);
  const directionOf = (selector: string) =>
    [...container.querySelectorAll(selector)].map((one) => getComputedStyle(one).direction);
  expect(directionOf('p')).toEqual(['ltr', 'rtl']);
  const others = ['li', 'table', 'th', 'td', 'pre'].map((selector) => directionOf(selector).join(' '));
  expect(others).toEqual(['rtl', 'rtl', 'rtl', 'rtl', 'ltr']);
  const [item, list] = [container.querySelector('li')!, container.querySelector('ul')!];
  // The marker stands outside the item, on the right: there has to be room for it.
  expect(list.getBoundingClientRect().right - item.getBoundingClientRect().right).toBeGreaterThan(15);
});

test.each([
  ['a block of code', '```\nx\n```\n', 'pre'],
  ['a table', '| a |\n|---|\n| b |\n', '.table-scroll'],
])('the ring around %s that has the keyboard is inside it, where it is not cut off', async (_, text, selector) => {
  const { container } = await render(<Markdown text={text} />);
  container.querySelector<HTMLElement>(selector)!.focus({ focusVisible: true } as FocusOptions);
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(container.querySelector(selector)!);
  expect([outlineStyle, outlineWidth, outlineOffset]).toEqual(['solid', '2px', '-2px']);
});

test('a word of 20,000 letters is laid out at once, without kerning and ligatures', async () => {
  await document.fonts.load('14.5px "Geist Variable"');
  const words = 'AVToWaffi'.repeat(2_200);
  const { container } = await render(<Markdown text={`Before ${words} after`} />);
  const long = container.querySelector('.long-word')!;
  const { fontKerning, fontVariantLigatures } = getComputedStyle(long);
  expect([fontKerning, fontVariantLigatures]).toEqual(['none', 'none']);
  const began = performance.now();
  container.style.width = '321px';
  expect(container.getBoundingClientRect().height).toBeGreaterThan(1000);
  expect(performance.now() - began).toBeLessThan(500);
});

test('a column of sentences keeps several words on a line, and the table scrolls', async () => {
  const row = '| invoice.ts | Coder | server | rounding differs between currencies |\n';
  const { container } = await render(
    <div style={{ width: 300 }}>
      <Markdown text={`| Module | Owner | Rendering | Notes |\n|---|---|---|---|\n${row}`} />
    </div>,
  );
  expect(container.querySelector('tbody tr')!.getBoundingClientRect().height).toBeLessThan(70);
});

test('a table breaks no word; it scrolls where there is no room for it', async () => {
  const row = '| Rendering | Responsibility | Documentation | Internationalisation | Owner |\n';
  const { container } = await render(
    <div style={{ width: 300 }}>
      <Markdown text={`${row}|---|---|---|---|---|\n${row}`} />
    </div>,
  );
  const heights = [...container.querySelectorAll('td')].map((cell) => cell.getBoundingClientRect().height);
  expect(Math.max(...heights)).toBeLessThan(45);
  const frame = container.querySelector('.table-scroll')!;
  expect(frame.scrollWidth).toBeGreaterThan(frame.clientWidth);
});

test.each([
  ['a paragraph', 'Some words that go on', 'p'],
  ['a list', '- one\n- two', 'li:last-child'],
  ['a list in a quotation', '> - one', 'blockquote li'],
  ['a block of code', '```ts\nconst a', 'pre code'],
  ['a table', '| a |\n|---|\n| b |', 'td'],
])('the caret stands inside the last words of %s, and nothing moves when it goes', async (_name, text, place) => {
  const screen = await render(<Markdown text={text} isGrowing />);
  const { container } = screen;
  expect(container.querySelectorAll('.caret')).toHaveLength(1);
  expect(container.querySelector(`${place} .caret`)).not.toBeNull();
  const { height } = container.getBoundingClientRect();
  await screen.rerender(<Markdown text={text} />);
  expect(container.querySelector('.caret')).toBeNull();
  expect(container.getBoundingClientRect().height).toBe(height);
});

test('a rule in a formula has the colour of the words around it', async () => {
  const { container } = await render(
    <div style={{ color: 'rgb(250, 240, 230)' }}>
      <Markdown text={'$$ \\rule{2em}{1em} $$'} />
    </div>,
  );
  await expect.poll(() => container.querySelector('mspace')).not.toBeNull();
  expect(getComputedStyle(container.querySelector('mspace')!).backgroundColor).toBe('rgb(250, 240, 230)');
});

test('formulas are drawn, and their source stays to be copied', async () => {
  const text = 'Inline $a^2 + b_1$ and \\(c\\), then\n\n$$\nx\n= \\frac{1}{2}\n- y\n$$\n\n\\[ \\sqrt{2} \\]';
  const { container } = await render(<Markdown text={text} />);
  await expect.poll(() => container.querySelectorAll('math').length).toBe(4);
  expect(container.querySelectorAll('math mfrac, math msqrt, math msup, math msub')).toHaveLength(4);
  const selection = getSelection()!;
  selection.selectAllChildren(container);
  const copied = selection.toString();
  for (const source of ['$a^2 + b_1$', '\\(c\\)', '\\frac{1}{2}', '\\[ \\sqrt{2} \\]'])
    expect(copied).toContain(source);
  selection.removeAllRanges();
});

test.each([
  ['aligned rows', '$$\\begin{align}a&=b\\\\c&=d\\end{align}$$', 'mtr'],
  ['an environment without dollars', '\\begin{equation}\nx = \\frac{1}{2}\n\\end{equation}', 'mfrac'],
  ['an environment after words', 'So\n\\begin{align*}\na &= b\n\\end{align*}\nholds.', 'mtr'],
])('a formula is drawn: %s', async (_what, text, element) => {
  const { container } = await render(<Markdown text={text} />);
  await expect.poll(() => container.querySelector(`math ${element}`)).not.toBeNull();
  expect(container.querySelectorAll('.formula')).toHaveLength(1);
});

test('a tag is drawn as a whole, inside its drawing and right after its formula', async () => {
  const { container } = await render(
    <div style={{ width: 700 }}>
      <Markdown text={'$$x = 1 \\tag{12}$$'} />
    </div>,
  );
  await expect.poll(() => container.querySelector('.tml-tag')?.textContent).toBe('(12)');
  const drawing = container.querySelector('.formula-drawing')!.getBoundingClientRect();
  const tag = container.querySelector('.tml-tag')!.getBoundingClientRect();
  const end = container.querySelector('mn')!.getBoundingClientRect().right;
  expect(tag.left - end).toBeGreaterThan(10);
  expect(tag.left - end).toBeLessThan(50);
  expect(tag.right).toBeLessThanOrEqual(drawing.right + 1);
});

test('rows of a matrix do not touch', async () => {
  const { container } = await render(<Markdown text={'$$\\begin{matrix}a&b\\\\c&d\\end{matrix}$$'} />);
  await expect.poll(() => container.querySelectorAll('mtr').length).toBe(2);
  const cell = getComputedStyle(container.querySelector('mtd')!);
  expect(Number.parseFloat(cell.paddingTop)).toBeGreaterThan(2);
  expect(Number.parseFloat(cell.paddingRight)).toBeGreaterThan(2);
});

test.each([
  'It costs $5, or $10 with tax.',
  'Between $5-$10 a month, US$20 at most.',
  'echo $HOME/bin:$PATH and $USER',
  'From $5 and 10$ of it',
  'a $ b $ c',
  'unfinished $x^2 and',
  '$$\nx = 1\n- y',
  'unfinished \\(x and',
])('dollars and unfinished formulas stay text: %s', async (text) => {
  const { container } = await render(<Markdown text={text} />);
  expect(container.querySelector('.formula')).toBeNull();
});

test.each([
  ['a mistake', '$\\frac{1$'],
  ['too much nesting', `$${'\\sqrt'.repeat(150)} x$`],
  ['a link', '$\\href{javascript:alert(1)}{x}$'],
])('TeX with %s is shown as it was written', async (_name, text) => {
  const { container } = await render(<Markdown text={`${text} and $y$`} />);
  await expect.poll(() => container.querySelectorAll('math').length).toBe(1);
  expect(container.textContent).toContain(text);
  expect(container.querySelector('[href]')).toBeNull();
});

/** Without what only says when it was drawn. */
function plain(container: HTMLElement): string {
  return container.innerHTML.replaceAll(/<span(?: class="hl-[^"]*")?>|<\/span>/g, '');
}

test.each(['```', '```\n```', '~~~~', '> ', '#', '- ', '[a]: https://example.com'])(
  'an answer that says nothing but %j is shown as it was written',
  async (words) => {
    const { container } = await render(<Markdown text={words} />);
    expect(container.textContent?.trim()).toBe(words.trim());
    expect(container.querySelector('figure, blockquote, li, h2')).toBeNull();
  },
);

test('a code block that has just begun is a code block while more is coming', async () => {
  const { container } = await render(<Markdown text={'```'} isGrowing />);
  expect(container.querySelector('figure.code-block')).not.toBeNull();
});
