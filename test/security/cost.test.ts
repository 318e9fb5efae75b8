import { describe, expect, it } from 'vitest';
import { AgentId, ID_PATTERN } from '../../contract/names.ts';
import { estimateTokens } from '../../server/agents/prompt/estimate-tokens.ts';
import { FromTagFilter, neutralise, stripFromTags, tagFrom } from '../../server/agents/prompt/from-tag.ts';
import { labelledTranscript } from '../../server/agents/prompt/labelled-transcript.ts';
import { escapeInline, quoteText } from '../../server/sessions/export-quote.ts';
import { parseSearch } from '../../server/sessions/search-query.ts';
import { makeSnippet, toPatterns } from '../../server/sessions/search-snippet.ts';
import { toSnippet, toTitle } from '../../server/sessions/views.ts';

const MEGABYTE = 1_000_000;

/** Texts that make careless patterns look at everything again and again. */
const PROBES: Record<string, (length: number) => string> = {
  'opening brackets': (length) => '<'.repeat(length),
  'unfinished tags': (length) => '<from agent="'.repeat(length / 13),
  'tags that almost close': (length) => '<from agent="a"'.repeat(length / 15),
  'closing tags': (length) => '</from>'.repeat(length / 7),
  'spaces inside a tag': (length) => `<${' '.repeat(length)}from`,
  'slashes inside a tag': (length) => `</${'/ '.repeat(length / 2)}from`,
  'one long name': (length) => `<from agent="${'a'.repeat(length)}">`,
  backticks: (length) => '`'.repeat(length),
  'fences on every line': (length) => '```\n'.repeat(length / 4),
  'growing fences': (length) =>
    Array.from({ length: Math.floor(Math.sqrt(length)) }, (_, n) => '`'.repeat(n)).join('\n'),
  'list marks': (length) => `${'> * - 1. '.repeat(length / 9)}x <b>`,
  'blank lines': (length) => '\n'.repeat(length),
  'carriage returns': (length) => '\r'.repeat(length),
  'white space': (length) => `${' \t'.repeat(length / 2)}x`,
  'combining accents': (length) => `e${'\u0301'.repeat(length)}`,
  'joined emoji': (length) => '👩\u200d'.repeat(length / 3),
  'half characters': (length) => '\ud83d'.repeat(length),
  quotes: (length) => '"'.repeat(length),
  'one word': (length) => 'a'.repeat(length),
  'many words': (length) => 'a '.repeat(length / 2),
  zeros: (length) => '\0'.repeat(length),
};

const patterns = toPatterns(parseSearch('"a a a b" zz* "a b"', 0).terms);

/** Everything that reads a person's or a model's words. */
const READERS: Record<string, (text: string) => unknown> = {
  neutralise,
  stripFromTags,
  tagFrom: (text) => tagFrom('wisp/one', text),
  'the tag filter, character by character': (text) => {
    const filter = new FromTagFilter();
    let out = '';
    for (let at = 0; at < text.length; at += 50) out += filter.push(text.slice(at, at + 50));
    return out + filter.end();
  },
  labelledTranscript: (text) => labelledTranscript([{ role: 'user', agent: null, text }]),
  estimateTokens,
  quoteText,
  escapeInline,
  toSnippet,
  toTitle,
  makeSnippet: (text) => makeSnippet(text, patterns),
  parseSearch: (text) => quietly(() => parseSearch(text, 0)),
  AgentId: (text) => AgentId.safeParse(text),
  Id: (text) => ID_PATTERN.test(text),
};

describe('a megabyte of anything is read in time that grows with its length', { timeout: 60_000 }, () => {
  it.each(Object.keys(READERS))('%s', (name) => {
    for (const [probe, make] of Object.entries(PROBES)) {
      const text = make(MEGABYTE);
      const began = performance.now();
      READERS[name]!(text);
      const ms = performance.now() - began;
      // A quadratic reader takes minutes; the bound leaves room for a busy machine.
      expect([probe, ms < 1500 ? 'in time' : `${Math.round(ms)} ms`]).toEqual([probe, 'in time']);
    }
  });
});

function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
