import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DelegateTagFilter, readDelegateTags } from '../../server/delegation/delegate-tags.ts';
import { reference } from './delegate-tags-reference.ts';

/** Pieces from which tags, half tags, look-alikes and code grow. */
const fragment = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '<delegate to="dev">',
      "<delegate\tto = 'wisp/eve' >",
      '<delegate to="dev">do it</delegate>',
      '<delegate to="a b">',
      '<delegate to="">',
      '<delegate>',
      '<delegate ',
      '<delegate\n',
      '<delegate/>',
      '<delegate to="dev"/>',
      '<delegates to="dev">',
      '<Delegate to="dev">',
      '</delegate>',
      '</delegate >',
      '</delegate',
      '<dele',
      'gate to="dev">',
      '<',
      '>',
    ),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '`',
      '``',
      '```',
      '````',
      '~',
      '~~~',
      '~~~~',
      '\n```\n',
      '\n```js\n',
      '\n   ```\n',
      '\n    ```\n',
      '\n- ```\n',
      '\n  ```\n',
      '\n> ```\n',
      '\n~~~\n',
      '\n``` `\n',
      '\n\t```\n',
      '```\n',
      '\n``` ',
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom('\n', '\n\n', '\r\n', '\r', '\n \t\n', '\n>\n', ' ', '\t', '> ', '1. ') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '<!--',
      '-->',
      '--->',
      '<![CDATA[',
      ']]>',
      ']',
      '-',
      '\n    ',
      '\n\n    ',
      '\n\t',
      '\n> ',
      '- > ',
      '<blockquote>',
      '<BlockQuote cite="x">',
      '</blockquote>',
      '<blockquotes>',
      '<pre>',
      '<code>',
      '</code>',
      '<q>',
      '</pre >',
      '<pre',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('word', '&lt;', '&amp;lt;', '&', '🙂', '\ud83d', '\ude42', 'é') },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
);
const tagged = fc.constantFrom('<delegate to="dev">do it</delegate>', 'word ', '`', '\n', '\n\n');
const answer = fc.array(fc.oneof(fragment, fragment, tagged), { maxLength: 25 }).map((pieces) => pieces.join(''));

const chunked = answer.chain((text) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: text.length }), { maxLength: 20 })
    .map((cuts) => ({ text, cuts: [0, ...cuts.sort((a, b) => a - b), text.length] })),
);

function stream(text: string, cuts: readonly number[], longest?: number) {
  const filter = new DelegateTagFilter(longest);
  let shown = '';
  const delegations = [];
  for (const [index, end] of cuts.slice(1).entries()) {
    shown += filter.push(text.slice(cuts[index], end));
    delegations.push(...filter.take());
  }
  shown += filter.end();
  return { text: shown, delegations: [...delegations, ...filter.take()] };
}

function byCharacter(text: string, longest?: number) {
  return stream(
    text,
    Array.from({ length: text.length + 1 }, (_, at) => at),
    longest,
  );
}

const DO = '<delegate to="dev">do it</delegate>';
const DONE = { to: 'dev', task: 'do it' };

describe('an answer', () => {
  test('is read alike, wherever it is cut', () => {
    let found = 0;
    fc.assert(
      fc.property(chunked, ({ text, cuts }) => {
        const expected = reference(text);
        found += expected.delegations.length;
        expect(stream(text, cuts)).toEqual(expected);
        expect(byCharacter(text)).toEqual(expected);
        expect(readDelegateTags(text)).toEqual(expected);
      }),
      { numRuns: 4000 },
    );
    expect(found).toBeGreaterThan(400);
  });

  test('is read alike, wherever it is cut, when what is long is a few words', () => {
    fc.assert(
      fc.property(chunked, fc.integer({ min: 20, max: 80 }), ({ text, cuts }, longest) => {
        const expected = reference(text, longest);
        expect(stream(text, cuts, longest)).toEqual(expected);
        expect(byCharacter(text, longest)).toEqual(expected);
      }),
      { numRuns: 4000 },
    );
  });

  test('keeps what is before, between and after its tags, and tells them in order', () => {
    const text = `I will ask.\n\n${DO}\n\n<delegate to='wisp/eve'>\n  then this\n</delegate> Bye.`;
    expect(readDelegateTags(text)).toEqual({
      text: 'I will ask.\n\n\n\n Bye.',
      delegations: [DONE, { to: 'wisp/eve', task: 'then this' }],
    });
  });

  test.each([
    ['<delegate to="dev">', 'dev'],
    ["<delegate to='dev'>", 'dev'],
    ['<delegate \t to \t=\t "wisp/eve" >', 'wisp/eve'],
    [`<delegate to="${'n'.repeat(128)}">`, 'n'.repeat(128)],
    [`<delegate${' '.repeat(238)}to="dev">`, 'dev'],
  ])('is followed at %s', (opening, to) => {
    expect(readDelegateTags(`${opening}x</delegate>`)).toEqual({ text: '', delegations: [{ to, task: 'x' }] });
  });

  test.each([
    ['another word', '<delegates to="dev">x</delegates>'],
    ['capitals', '<Delegate to="dev">x</Delegate>'],
    ['no name', '<delegate>x</delegate>'],
    ['an empty name', '<delegate to="">x</delegate>'],
    ['a name that no agent can have', '<delegate to="a b">x</delegate>'],
    ['a name that is too long', `<delegate to="${'n'.repeat(129)}">x</delegate>`],
    ['too many spaces', `<delegate${' '.repeat(239)}to="dev">x</delegate>`],
    ['another attribute', '<delegate to="dev" mode="async">x</delegate>'],
    ['a second name', '<delegate to="dev" to="eve">x</delegate>'],
    ['no quotes', '<delegate to=dev>x</delegate>'],
    ['quotes that differ', '<delegate to="dev\'>x</delegate>'],
    ['a line end in the tag', '<delegate\nto="dev">x</delegate>'],
    ['no content', '<delegate to="dev"/>'],
    ['an empty task', '<delegate to="dev"></delegate>'],
    ['a blank task', '<delegate to="dev"> \n\t</delegate>'],
    ['no end', '<delegate to="dev">x'],
    ['half an end', '<delegate to="dev">x</delegate'],
    ['another end', '<delegate to="dev">x</delegate >'],
    ['no beginning', 'x</delegate>'],
    ['entities for brackets', '&lt;delegate to="dev"&gt;x&lt;/delegate&gt;'],
    ['one in another', '<delegate to="dev">x <delegate to="eve">y</delegate> z</delegate>'],
    ['one in a look-alike', '<delegate to="a b">x <delegate to="eve">y</delegate> z</delegate>'],
    ['a look-alike in one', '<delegate to="dev">x <delegate>y</delegate> z</delegate>'],
    ['three deep', '<delegate to="a"><delegate to="b"><delegate to="c">x</delegate></delegate></delegate>'],
  ])('with %s is shown as it is', (_what, text) => {
    expect(readDelegateTags(text)).toEqual({ text, delegations: [] });
    expect(byCharacter(text)).toEqual({ text, delegations: [] });
  });

  test('is followed after a tag that was never closed, which is shown', () => {
    const unclosed = 'Write <delegate to="eve"> like so. ';
    expect(readDelegateTags(unclosed + DO)).toEqual({ text: unclosed, delegations: [DONE] });
    expect(readDelegateTags(`A <delegate> tag: ${DO}`)).toEqual({ text: 'A <delegate> tag: ', delegations: [DONE] });
  });

  test('decodes what stands for characters of markup in a task, once', () => {
    const text = '<delegate to="dev">a &lt; b &amp;&amp; "c" &gt; &quot;d&quot; &amp;lt; &apos; &nbsp;</delegate>';
    expect(readDelegateTags(text).delegations[0]?.task).toBe('a < b && "c" > "d" &lt; &apos; &nbsp;');
  });

  test('of half characters comes out whole', () => {
    const { text } = byCharacter(`🙂${DO}👩‍👩‍👧\ud83d`);
    expect(text).toBe('🙂👩‍👩‍👧\ud83d');
  });
});

describe('code', () => {
  test.each([
    ['a fence', '```\n@\n```'],
    ['a fence of tildes', '~~~\n@\n~~~'],
    ['a fence with a name', '```xml title="a"\n@\n```'],
    ['the line that opens a fence', '``` @\nx\n```'],
    ['the line that opens a fence of tildes', '~~~ ` @ `\nx\n~~~'],
    ['a longer fence that holds a shorter', '`````\n```\n@\n```\n`````'],
    ['a fence of the other kind', '~~~\n```\n@\n```\n~~~'],
    ['an indented fence', 'text\n   ```\n   @\n   ```'],
    ['a fence whose end is indented too far', '```\n    ```\n@'],
    ['a fence whose end has words', '```\n``` no\n@'],
    ['a fence in a list', '- ```\n  @\n  ```'],
    ['a fence in a numbered list', '1. Do:\n\n    ```sh\n    a\n\n    @\n    ```'],
    ['a fence in a quotation', '> ```\n> @\n> ```'],
    ['a fence that is never closed', '```\n\n@\n\nend'],
    ['a fence with other line ends', '```\r\n@\r\n```\r\n'],
    ['inline code', 'like `@` so'],
    ['inline code of two backticks', '``a ` @ ``'],
    ['inline code over lines', 'like `a\n@\nb` so'],
    ['three backticks within a line', 'like ```@``` so'],
    ['inline code after literal backticks', '`` ` @ `'],
  ])('is not read: %s', (_what, code) => {
    const text = code.replace('@', DO);
    expect(readDelegateTags(text)).toEqual({ text, delegations: [] });
    expect(byCharacter(text)).toEqual({ text, delegations: [] });
  });

  test.each([
    ['after a fence', '```\ncode\n```\n@'],
    ['after a fence that closes with more', '```\ncode\n`````  \n@'],
    ['between two pieces of inline code', '`a` @ `b`'],
    ['after a backtick that nothing closes', 'the ` key @'],
    ['after backticks of another number', '`` a ` @'],
    ['between a backtick and one in another paragraph', 'the ` key\n\n@ and `'],
    ['between a backtick and a fence', 'the ` key\n@\n```\n`\n```'],
    ['in a line of backticks that opens no fence', '``` a` @'],
    ['after two tildes', '~~\n@\n~~'],
  ])('does not swallow what is %s', (_what, around) => {
    const expected = { text: around.replace('@', ''), delegations: [DONE] };
    expect(readDelegateTags(around.replace('@', DO))).toEqual(expected);
    expect(byCharacter(around.replace('@', DO))).toEqual(expected);
  });

  test('in a task belongs to the task, whatever is in it', () => {
    const task = `Explain this:\n\n\`\`\`xml\n${DO}\n\`\`\`\n\nand \`</delegate>\`, please.`;
    expect(readDelegateTags(`<delegate to="eve">${task}</delegate>`)).toEqual({
      text: '',
      delegations: [{ to: 'eve', task }],
    });
  });
});

describe('a quotation', () => {
  test.each([
    ['an element that quotes', '<blockquote>@</blockquote>'],
    ['one with attributes, in capitals', '<BLOCKQUOTE cite="https://example.com/">\n<p>@</p>\n</BLOCKQUOTE>'],
    ['one in another', '<blockquote>a <blockquote>b</blockquote> @ </blockquote>'],
    ['one that is never closed', '<blockquote>\n\n@'],
    ['preformatted text', '<pre><code>@</code></pre>'],
    ['code in the words', 'Write <code class="x">@</code>.'],
    ['a quotation in the words', 'It said <Q>@</Q>.'],
    ['what a program printed', '<samp>a <samp>b</samp> @</samp>'],
    ['a quoted line', 'He wrote:\n> @'],
  ])('is not read: %s', (_what, around) => {
    const text = around.replace('@', DO);
    expect(readDelegateTags(text)).toEqual({ text, delegations: [] });
    expect(byCharacter(text)).toEqual({ text, delegations: [] });
  });

  test.each([
    ['after it', '<blockquote>a</blockquote> @'],
    ['after an element with another name', '<blockquotes> @'],
    ['after another one that begins alike', '<codes> @'],
    ['after code that has ended', '<code>a</code> @'],
    ['after code that names it', '`<blockquote>` @'],
    ['after the end of one that never began', '</blockquote> @'],
  ])('does not swallow what is %s', (_what, around) => {
    const expected = { text: around.replace('@', ''), delegations: [DONE] };
    expect(readDelegateTags(around.replace('@', DO))).toEqual(expected);
    expect(byCharacter(around.replace('@', DO))).toEqual(expected);
  });
});

describe('what waits', () => {
  const shownAtOnce = (...pieces: string[]) => {
    const filter = new DelegateTagFilter();
    return pieces.map((piece) => filter.push(piece));
  };

  test('is nothing but a possible tag', () => {
    const plain = 'It `is ``said\n```js\nat once: </del < <b> <delegates';
    expect(shownAtOnce(plain)).toEqual([plain]);
    expect(shownAtOnce('A <', 'b', ' <delegate', 's>')).toEqual(['A ', '<b', ' ', '<delegates>']);
    expect(shownAtOnce('A <delegate to="dev">', 'do', ' it</delegate>', ' B')).toEqual(['A ', '', '', ' B']);
  });

  test('is shown as soon as it is known to be text', () => {
    expect(shownAtOnce('<delegate to="a b">', 'x')).toEqual(['<delegate to="a b">', 'x']);
    expect(shownAtOnce('`', DO, ' x`', '.')).toEqual(['`', '', '', `${DO} x\`.`]);
    expect(shownAtOnce('`', DO, '\n', '\n')).toEqual(['`', '', '', '\n\n']);
    expect(shownAtOnce(`\`\`\` ${DO}`, '\n', 'x')).toEqual(['``` ', `${DO}\n`, 'x']);
    const nested = '<delegate to="a">x<delegate to="b">y</delegate>z</delegate>';
    expect(shownAtOnce(nested.slice(0, -1), '>')).toEqual(['<delegate to="a">x', nested.slice(18)]);
  });

  test('is never more than two of the longest tags', () => {
    const filler = 'x'.repeat(1000);
    for (const opening of ['<delegate to="dev">', '`<delegate to="dev">', '`<delegate to="dev">x</delegate>']) {
      const filter = new DelegateTagFilter();
      let waiting = opening.length - filter.push(opening).length;
      let most = 0;
      for (let pushed = 0; pushed < 500; pushed++) {
        waiting += filler.length - filter.push(filler).length;
        most = Math.max(most, waiting);
      }
      expect(most).toBeLessThan(202_000);
      expect(waiting).toBeLessThan(1000);
    }
  });

  test.each([
    ['a tag', (size: number) => `<delegate to="dev">${'x'.repeat(size - 19)}</delegate>`, 1],
    ['inline code', (size: number) => `\`${DO}${'x'.repeat(size - 1 - DO.length)}\``, 0],
  ])('ends at a hundred thousand characters of %s', (_what, make, within) => {
    expect(readDelegateTags(make(100_000)).delegations).toHaveLength(within);
    expect(readDelegateTags(make(100_001)).delegations).toHaveLength(1 - within);
    for (const size of [100_000, 100_001]) expect(byCharacter(make(size))).toEqual(reference(make(size)));
  });

  test('for the end of a line is at most a thousand characters', () => {
    for (const [size, found] of [
      [1000, 1],
      [1001, 0],
    ] as const) {
      const text = `\`\`\`${DO.padEnd(size, 'x')}\``;
      expect(readDelegateTags(text).delegations).toHaveLength(found);
      expect(byCharacter(text)).toEqual(reference(text));
    }
  });
});

describe('an answer of a million pieces', () => {
  /** Four times as much for four times the text; sixteen times if each piece looked at all that waits. */
  function expectEachToCostAsMuch(make: (length: number) => string): void {
    const few = make(250_000);
    const quarter = Math.max(Math.min(cost(few), cost(few)), 5000);
    const many = make(1_000_000);
    const first = cost(many) / quarter;
    // The better of two: the second only counts where the first was not good enough.
    expect(first < 9 ? first : cost(many) / quarter).toBeLessThan(9);
  }

  /** In time of the processor, which a busy machine does not stretch. */
  function cost(text: string): number {
    const filter = new DelegateTagFilter();
    const before = process.cpuUsage();
    for (let at = 0; at < text.length; at++) filter.push(text[at]!);
    filter.end();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  test.each([
    ['words', 'word '],
    ['brackets', '<'],
    ['openings', '<delegate to="a">'],
    ['look-alikes', '<delegate>'],
    ['closings', '</delegate>'],
    ['tags', '<delegate to="a">x</delegate>'],
    ['nested tags', '<delegate to="a"><delegate to="b">x</delegate>'],
    ['half tags', '<delegate to="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ['backticks and tags', '`` ` <delegate to="a">x</delegate>'],
    ['tags after backticks that nothing closes', '<delegate to="a">x</delegate>', '```` '],
    ['openings after backticks that nothing closes', '<delegate to="a">', '```` '],
    ['tags in a tag that nothing closes', '<delegate to="a">x</delegate>', '<delegate to="a">'],
    ['lines', '\n'],
    ['fences', '```\n<delegate to="a">x</delegate>\n'],
  ] as [string, string, string?][])(
    'costs as much for each, whatever it is: %s',
    { timeout: 120_000 },
    (_what, unit, before = '') => {
      expectEachToCostAsMuch((length) => `x${before}${unit.repeat(Math.ceil(length / unit.length))}`);
    },
  );

  test('costs as much for each, also with backticks of every number', { timeout: 120_000 }, () => {
    expectEachToCostAsMuch((length) => {
      const runs = Array.from({ length: Math.floor(Math.sqrt(length)) }, (_, n) => '`'.repeat(n + 1));
      return runs.join(` ${DO} x `) + '` x '.repeat(length / 8);
    });
  });
});
