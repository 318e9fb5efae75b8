import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

interface Languages {
  chooseLanguage(id: 'en' | 'de'): Promise<void>;
  pickLanguage(stored: string | null, preferred: readonly string[]): string;
  startLanguage(patience: number): Promise<void>;
}

interface Words {
  language(): string;
  text(key: string, values?: Readonly<Record<string, string>>): string;
}

// Named at run time: these files are written against the types of a page, which the tests do not have.
const [languages, words]: readonly string[] = ['../../web/i18n/languages.ts', '../../web/i18n/text.ts'];
const { chooseLanguage, pickLanguage, startLanguage } = (await import(languages!)) as Languages;
const { language, text } = (await import(words!)) as Words;

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
