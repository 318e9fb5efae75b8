import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchHit } from '../../contract/sessions.ts';
import { parseSearch } from '../../server/sessions/search-query.ts';
import { cutAtMatches } from '../../web/markdown/plain-snippet.tsx';
import { filtersIn, groupHits, withFilter, withoutFilter, withoutFilters } from '../../web/pages/search/query.ts';

describe('filters in a search', () => {
  it('are found where the server finds them', () => {
    const query = 'plan "say agent:x" agent:wisp/a from:user session:"my week" -draft after:7d';
    expect(filtersIn(query).map(({ name, value }) => `${name} ${value}`)).toEqual([
      'agent wisp/a',
      'from user',
      'session my week',
      'after 7d',
    ]);
    expect(parseSearch(query, 0)).toMatchObject({ agents: ['wisp/a'], from: ['user'], sessions: ['my week'] });
  });

  it('are written so that the server reads them', () => {
    const query = withFilter(withFilter('plan', 'agent', 'wisp/a'), 'session', 'my week');
    expect(query).toBe('plan agent:wisp/a session:"my week"');
    expect(parseSearch(query, 0)).toMatchObject({ agents: ['wisp/a'], sessions: ['my week'] });
  });

  it('are not written twice, and a time replaces the time before it', () => {
    expect(withFilter('agent:a', 'agent', 'a')).toBe('agent:a');
    expect(withFilter('agent:a', 'agent', 'b')).toBe('agent:a agent:b');
    expect(withFilter('x  after:7d', 'after', '2026-01-31')).toBe('x after:2026-01-31');
  });

  it('can be taken out one by one or all at once', () => {
    const query = 'from:user  plan   agent:"a b" week';
    expect(withoutFilter(query, filtersIn(query)[1]!)).toBe('from:user plan week');
    expect(withoutFilters(query)).toBe('plan week');
  });
});

describe('a snippet cut at its matches', () => {
  it('marks what was found', () => {
    const pieces = cutAtMatches('one two three', [{ start: 4, end: 7 }]);
    expect(pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')).toBe('one [two] three');
  });

  it('loses and repeats no character, whatever the matches are', () => {
    const range = fc.record({ start: fc.nat(40), end: fc.nat(60) });
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.array(range), (snippet, matches) => {
        expect(
          cutAtMatches(snippet, matches)
            .map(({ text }) => text)
            .join(''),
        ).toBe(snippet);
      }),
    );
  });
});

describe('hits by session', () => {
  it('keep the order in which their sessions were found first', () => {
    const groups = groupHits([hit('b', '1'), hit('a', '2'), hit('b', '3')]);
    expect(groups.map(({ sessionId, hits }) => [sessionId, hits.map(({ messageId }) => messageId)])).toEqual([
      ['b', ['1', '3']],
      ['a', ['2']],
    ]);
  });
});

function hit(sessionId: string, messageId: string): SearchHit {
  return { sessionId, messageId, sessionTitle: sessionId } as SearchHit;
}
