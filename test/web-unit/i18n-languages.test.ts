import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { say } from '../../contract/texts.ts';

interface Languages {
  chooseLanguage(id: 'en' | 'de'): Promise<void>;
  pickLanguage(stored: string | null, preferred: readonly string[]): string;
  startLanguage(patience: number): Promise<void>;
}

interface Words {
  serverText(message: string, ref: unknown): string;
  language(): string;
  text(key: string, values?: Readonly<Record<string, string | number>>): string;
}

// Named at run time: these files are written against the types of a page, which the tests do not have.
const [languages, words, sizes, pageWords]: readonly string[] = [
  'state/languages',
  'i18n/text',
  'i18n/formats',
  'i18n/page-words',
].map((name) => `../../web/${name}.ts`);
const { chooseLanguage, pickLanguage, startLanguage } = (await import(languages!)) as Languages;
const { language, serverText, text } = (await import(words!)) as Words;
// The words of pages are added by the module that pages load.
await import(pageWords!);
const { fileSize } = (await import(sizes!)) as { fileSize(bytes: number): string };

const KEY = 'parley.language';
let kept: Map<string, string>;
let page: { documentElement: { lang: string } };

beforeEach(() => {
  kept = new Map();
  page = { documentElement: { lang: 'en' } };
  openIn(['en-GB']);
});

afterEach(async () => {
  await chooseLanguage('en');
  vi.unstubAllGlobals();
});

describe('the size of a file', () => {
  it.each([
    [0, '0 B', '0 B'],
    [999, '999 B', '999 B'],
    [1_000, '1 kB', '1 kB'],
    [1_500, '2 kB', '2 kB'],
    [999_400, '999 kB', '999 kB'],
    [1_240_000, '1.2 MB', '1,2 MB'],
    [25_000_000, '25 MB', '25 MB'],
  ])('of %i bytes has the same unit everywhere, in the digits of the language', async (bytes, english, german) => {
    expect(fileSize(bytes)).toBe(english);
    await chooseLanguage('de');
    expect(fileSize(bytes)).toBe(german);
  });
});

describe('a text with a number', () => {
  it.each([
    ['en', 1, '1 result in 1 session', 'restarted once'],
    ['en', 2, '2 results in 2 sessions', 'restarted 2 times'],
    ['de', 1, '1 Ergebnis in 1 Sitzung', '1-mal neu gestartet'],
    ['de', 0, '0 Ergebnisse in 0 Sitzungen', '0-mal neu gestartet'],
  ] as const)('has the form that goes with it: %s, %i', async (id, count, results, restarts) => {
    await chooseLanguage(id);
    expect(text('search.count', { hits: count, sessions: count })).toBe(results);
    expect(text('settings.mcpRestarts', { count })).toBe(restarts);
  });
});

describe('what the server says', () => {
  const blocked = say('scope.blocked', { list: 'toolDenylist', agent: 'lead', name: 'bash', pattern: 'b*' });
  const refusal = say('scope.ceiling', { worker: 'kid', caller: 'lead', reason: blocked });

  it('is translated whole, with the sentence inside it', async () => {
    expect(serverText(refusal.message, refusal)).toBe('kid works for lead: toolDenylist of lead blocks bash ("b*").');
    await chooseLanguage('de');
    const german = 'kid arbeitet für lead: toolDenylist von lead sperrt bash („b*“).';
    expect(serverText(refusal.message, refusal)).toBe(german);
  });

  it('stays English when a newer server says something unknown, or leaves a value out', async () => {
    await chooseLanguage('de');
    expect(serverText('Something new.', { key: 'not_known', values: {} })).toBe('Something new.');
    expect(serverText(blocked.message, { key: blocked.key, values: {} })).toBe(blocked.message);
    expect(serverText('Old.', undefined)).toBe('Old.');
  });
});

describe('the language to begin with', () => {
  it.each([
    [null, ['de-AT', 'en'], 'de'],
    [null, ['fr', 'de'], 'de'],
    [null, ['fr', 'EN-us', 'de'], 'en'],
    [null, ['fr'], 'en'],
    [null, [], 'en'],
    ['en', ['de'], 'en'],
    ['de', ['en'], 'de'],
    ['pseudo', ['de'], 'pseudo'],
    ['klingon', ['de'], 'de'],
    ['toString', ['en'], 'en'],
    [null, ['pseudo'], 'en'],
  ] as const)('with %s remembered and a browser that prefers %j is %s', (stored, preferred, expected) => {
    expect(pickLanguage(stored, preferred)).toBe(expected);
  });

  it('is on the page once the start is through', async () => {
    openIn(['de-DE']);
    await startLanguage(20_000);
    expect(text('action.close')).toBe('Schließen');
    expect(page.documentElement.lang).toBe('de');
  });

  it('is English in disguise when a test asks for it', async () => {
    kept.set(KEY, 'pseudo');
    await startLanguage(20_000);
    expect(text('rail.stopDelegate', { name: 'Ada' })).toMatch(/^\[Stóp Ada~+\]$/);
    expect(language()).toBe('en');
  });

  it('can be read where nothing may be kept', async () => {
    vi.stubGlobal('localStorage', {
      getItem: () => {
        throw new Error('forbidden');
      },
    });
    await startLanguage(20_000);
    expect(text('action.close')).toBe('Close');
  });
});

describe('choosing a language', () => {
  it('is remembered on this device', async () => {
    await chooseLanguage('de');
    expect([text('action.close'), kept.get(KEY)]).toEqual(['Schließen', 'de']);
  });

  it('ends with the last choice, however long the words of another take', async () => {
    await Promise.all([chooseLanguage('de'), chooseLanguage('en')]);
    expect([text('action.close'), kept.get(KEY)]).toEqual(['Close', 'en']);
  });
});

function openIn(preferred: readonly string[]): void {
  vi.stubGlobal('document', page);
  vi.stubGlobal('navigator', { languages: preferred });
  vi.stubGlobal('location', { search: '' });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
}
