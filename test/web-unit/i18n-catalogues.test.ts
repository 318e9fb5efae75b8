import { describe, expect, it } from 'vitest';
import { TEXTS } from '../../contract/texts.ts';
import { DESCRIPTIONS } from '../../server/agents/programs/discover-programs.ts';
import { discoverAgents } from '../../server/config/discover.ts';
import { DEMO_AGENTS } from '../../server/config/first-start.ts';
import { builtInTemplates } from '../../server/config/templates.ts';
import { de } from '../../web/i18n/de.ts';
import { deBuiltIn } from '../../web/i18n/de-built-in.ts';
import { deServer } from '../../web/i18n/de-server.ts';
import type { Catalogue } from '../../web/i18n/en.ts';
import { disguise, pseudo } from '../../web/i18n/pseudo.ts';
import { en } from '../harness/words.ts';

const KEYS = Object.keys(en) as (keyof Catalogue)[];
const OTHERS: readonly (readonly [string, Catalogue])[] = [
  ['German', de],
  ['the disguise', pseudo],
];

describe.each(OTHERS)('%s', (_, catalogue) => {
  it('has exactly the keys of English', () => {
    expect(Object.keys(catalogue).sort()).toEqual([...KEYS].sort());
  });

  it('has the placeholders of English in every text', () => {
    const differing = KEYS.filter((key) => String(placeholders(catalogue[key])) !== String(placeholders(en[key])));
    expect(differing).toEqual([]);
  });
});

describe.each([['English', en] as const, ...OTHERS])('%s', (_, catalogue) => {
  it('has no empty text', () => {
    expect(KEYS.filter((key) => catalogue[key].trim() === '')).toEqual([]);
  });
});

describe('German', () => {
  it('keeps the spaces around what is joined to other words', () => {
    const differing = KEYS.filter((key) => String(edges(de[key])) !== String(edges(en[key])));
    expect(differing).toEqual([]);
  });
});

describe('what the server says in German', () => {
  it('has the placeholders of English in every text, except for what only terminals need', () => {
    const keys = Object.keys(TEXTS) as (keyof typeof TEXTS)[];
    const invented = keys.filter((key) => placeholders(deServer[key]).some((one) => !TEXTS[key].includes(one)));
    expect(invented).toEqual([]);
  });

  it('covers what agents that are found on the machine say of themselves', async () => {
    const env = { OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    const found = await discoverAgents(env, async () => Response.json({ data: [], models: [{ name: 'llama' }] }));
    expect(found).toHaveLength(4);
    const words = [...found.map(({ description }) => description), ...Object.values(DESCRIPTIONS)];
    expect(words.filter((one) => one && !Object.hasOwn(deBuiltIn, one))).toEqual([]);
  });

  it('covers the words of every agent and template that comes with Parley', () => {
    const words = [...builtInTemplates().map(({ fields }) => fields), ...DEMO_AGENTS].flatMap((one) => [
      one.description,
      one.welcomeMessage,
    ]);
    expect(words.filter((one) => one && !Object.hasOwn(deBuiltIn, one))).toEqual([]);
  });
});

describe('the disguise', () => {
  it('accents the words, leaves the placeholders alone, and closes its bracket', () => {
    expect(disguise('Stop {name} now')).toBe(`[Stóp {name} ñów${'~'.repeat(6)}]`);
  });

  it('makes every text at least a third longer', () => {
    expect(KEYS.filter((key) => pseudo[key].length < en[key].length * 1.33)).toEqual([]);
  });
});

function placeholders(words: string): readonly string[] {
  return [...new Set([...words.matchAll(/\{(\w+)[|}]/g)].map(([, name]) => `{${name}}`))].sort();
}

function edges(words: string): readonly boolean[] {
  return [words.startsWith(' '), words.endsWith(' ')];
}
