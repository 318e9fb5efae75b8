import { describe, expect, it } from 'vitest';
import { safeLine, safeText } from '../../cli/terminal-text.ts';
import { isJsonTooDeep } from '../../contract/json-depth.ts';
import { AgentId, ID_PATTERN } from '../../contract/names.ts';
import { markUnseenCharacters } from '../../contract/unseen-characters.ts';
import { estimateTokens } from '../../server/agents/prompt/estimate-tokens.ts';
import { FromTagFilter, neutralise, stripFromTags, tagFrom } from '../../server/agents/prompt/from-tag.ts';
import { labelledTranscript } from '../../server/agents/prompt/labelled-transcript.ts';
import { oneLine, summaryLine } from '../../server/agents/prompt/one-line.ts';
import { DelegateTagFilter, readDelegateTags } from '../../server/delegation/delegate-tags.ts';
import { readMentions } from '../../server/delegation/who-answers.ts';
import { cleanMessage, redact } from '../../server/models/clean-message.ts';
import { readPrompt } from '../../server/models/demo/prompt.ts';
import { replyTo } from '../../server/models/demo/reply.ts';
import { escapeInline, quoteText } from '../../server/sessions/export-markdown.ts';
import { parseSearch } from '../../server/sessions/search-query.ts';
import { makeSnippet, toPatterns } from '../../server/sessions/search-snippet.ts';
import { toSnippet, toTitle } from '../../server/sessions/views.ts';
import { matchGlob } from '../../server/tools/glob.ts';
import { plainText } from '../../server/tools/mcp/plain-text.ts';
import { matcherOf } from '../../server/tools/plugins/listing.ts';
import { textOfAnswer } from '../../server/tools/plugins/web/page-text.ts';

const MEGABYTE = 1_000_000;
const BOUND_MS = 1500;

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
  'lines of a stack': (length) => '\n at'.repeat(length / 4),
  'unfinished titles': (length) => `<html>${'<title '.repeat(length / 7)}`,
  'unfinished comments': (length) => '<!-- '.repeat(length / 5),
  'nested elements': (length) => '<div><p>'.repeat(length / 8),
  'attributes without an end': (length) => `<a ${'b="c" '.repeat(length / 6)}`,
  'names with an at sign': (length) => '@a, '.repeat(length / 4),
  'unfinished delegations': (length) => '<delegate to="a">'.repeat(length / 17),
  'single backticks': (length) => '` '.repeat(length / 2),
  keys: (length) => 'sk-'.repeat(length / 3),
  'addresses with a password': (length) => '://a:b'.repeat(length / 6),
  brackets: (length) => '[{"a":'.repeat(length / 6),
};

const PAGE = { status: 200, headers: new Headers({ 'content-type': 'text/html' }), url: 'http://a/' };

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
  cleanMessage: (text) => cleanMessage(text, ['secret']),
  redact: (text) => redact(text, ['secret']),
  readDelegateTags,
  'the delegation filter, piece by piece': (text) => {
    const filter = new DelegateTagFilter();
    for (let at = 0; at < text.length; at += 50) filter.push(text.slice(at, at + 50));
    return filter.end();
  },
  readMentions: (text) => readMentions(text, () => null),
  'a line of a prompt': oneLine,
  'a summary in a prompt': summaryLine,
  'a description of an MCP tool': (text) => plainText(text, 100_000),
  'a web page': (text) => textOfAnswer({ ...PAGE, body: Buffer.from(`<html>${text}`) }),
  'text for a terminal': safeText,
  'a line for a terminal': safeLine,
  'characters that cannot be seen': (text) => markUnseenCharacters(text, 'prose'),
  'a glob': (text) => matchGlob('a*a*a*b', text),
  'the depth of JSON': (text) => isJsonTooDeep(text),
  'the words of a list': (text) => matcherOf('a b')(text),
  'the demo model': (text) => demoReply(text),
  'the demo model, asked to use a tool': (text) => demoReply(`use the system_time ${text}`),
  'the demo model, told what to use a tool with': (text) => demoReply(`use the system_time with a${text}x`),
  'the demo model, asked to delegate': (text) => demoReply(`ask Bob to ${text}`),
  'the demo model, asked to note something': (text) => demoReply(`add ${text}`),
  'the demo model, asked for a summary': (text) => demoReply(`summarise ${text}`),
  'the demo model, asked to build an agent': (text) => demoReply(`I need an agent ${text}`, 'builder_draft'),
  'the demo model, given a result': (text) =>
    replyTo(readPrompt({ ...demoRequest('hi'), messages: [{ role: 'tool', results: [{ ...RESULT, output: text }] }] })),
};

const RESULT = { id: 'a', name: 'todo_add', isError: false };

function demoReply(text: string, tool = 'system_time'): unknown {
  return replyTo(readPrompt(demoRequest(text, tool)));
}

function demoRequest(text: string, tool = 'system_time') {
  const tools = [tool, 'todo_add', 'reading_list_add', 'agents_message'].map((name) => ({
    name,
    description: '',
    inputSchema: { type: 'object', properties: { text: {}, url: {} } },
  }));
  return { system: 'You are Ada.', messages: [{ role: 'user' as const, text }], tools };
}

describe('a megabyte of anything is read in time that grows with its length', { timeout: 60_000 }, () => {
  it.each(Object.keys(READERS))('%s', (name) => {
    for (const [probe, make] of Object.entries(PROBES)) {
      const text = make(MEGABYTE);
      const ms = processorTimeOf(() => READERS[name]!(text));
      // A quadratic reader takes minutes.
      expect([probe, ms < BOUND_MS ? 'in time' : `${Math.round(ms)} ms`]).toEqual([probe, 'in time']);
    }
  });
});

/** Milliseconds of this process alone: what other programs take of the machine does not count. */
function processorTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
