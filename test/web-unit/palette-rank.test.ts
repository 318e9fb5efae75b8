import { expect, test } from 'vitest';
import { ranked, relevance } from '../../web/features/palette/rank.ts';

const named = (label: string, ...keywords: string[]) => ({ label, keywords });

test.each([
  ['a name that is exactly this', named('Settings'), named('Settings of the printer')],
  ['a name that begins with it', named('Settings of the printer'), named('Printer settings')],
  ['a word by which it is always found', named('Continue in a copy', 'settings'), named('Printer settings')],
  ['a word that begins with it', named('Printer settings'), named('Presettings')],
  ['a part of a word', named('Presettings'), named('Competitor research: pricing pages of seven vendors')],
])('%s comes before what fits less', (_, better, worse) => {
  expect(relevance('settings', better)).toBeGreaterThan(relevance('settings', worse));
});

test('letters that are only scattered over a name do not find it', () => {
  expect(relevance('settings', named('Competitor research: pricing pages of seven vendors'))).toBe(0);
});

test('words are found in any order, without their accents, and over the name and what else is known', () => {
  expect(relevance('seven pricing', named('Competitor research: pricing pages of seven vendors'))).toBeGreaterThan(0);
  expect(relevance('resume', named('Résumé'))).toBe(relevance('resume', named('Resume')));
  expect(relevance('plans ada', named('Plans', 'Ada'))).toBeGreaterThan(0);
  expect(relevance('plans bob', named('Plans', 'Ada'))).toBe(0);
});

test('the group with the best entry comes first, and groups without any are left out', () => {
  const groups = [
    { name: 'sessions', entries: [named('Archive of plans'), named('The archive')] },
    { name: 'commands', entries: [named('Archive'), named('Settings')] },
    { name: 'agents', entries: [named('Ada')] },
  ];
  expect(ranked('archive', groups)).toEqual([
    { name: 'commands', entries: [named('Archive')] },
    { name: 'sessions', entries: [named('Archive of plans'), named('The archive')] },
  ]);
});
