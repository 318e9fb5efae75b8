import { describe, expect, test } from 'vitest';
import { cleanMessage } from '../../server/models/clean-message.ts';

describe('the words of a provider', () => {
  test.each([
    ['{"error":{"message":"No."}}', 'No.'],
    ['{"error":"No."}', 'No.'],
    ['{"message":"No."}', 'No.'],
    ['{"detail":[{"loc":["body"],"msg":"No."}]}', 'No.'],
    ['[{"error":{"message":"No."}}]', 'No.'],
    ['{"error":{"message":""},"detail":"No."}', 'No.'],
    ['No.\n', 'No.'],
    ['', ''],
    ['<html><head><title>Bad Gateway</title></head></html>', 'an HTML page titled "Bad Gateway"'],
    ['<!-- x --><!DOCTYPE html><body>', 'an HTML page instead of a response'],
    ['{"error":{"message":"No.\\n    at f (/srv/a.js:1:2)\\n    at g"}}', 'No.'],
    ['No.\nTraceback (most recent call last):\n  File "x"', 'No.'],
    ['\u001b[31mNo.\u0007', '[31mNo.'],
  ])('%j is told as %j', (body, words) => {
    expect(cleanMessage(body, [])).toBe(words);
  });

  test('never hold a key, whatever it looks like', () => {
    const body =
      'Incorrect API key: sk-proj-abc123def456. Bearer abcdef used at https://me:pw@host/?key=abc, token hunter22';
    const words = cleanMessage(body, ['hunter22']);
    expect(words).toBe('Incorrect API key: *** Bearer *** used at https://***@host/?key=*** token ***');
  });

  test('are cut at 500 characters, however long they are', () => {
    expect(cleanMessage(`{"error":{"message":"${'x'.repeat(50_000)}"}}`, [])).toHaveLength(500);
    expect(cleanMessage('x'.repeat(5_000_000), [])).toHaveLength(500);
  });

  test.each([
    ['base64', Buffer.from('secret/key+value=1').toString('base64')],
    ['base64url', Buffer.from('secret/key+value=1').toString('base64url')],
    ['a password in base64', Buffer.from('me:secret/key+value=1').toString('base64')],
    ['percent signs', encodeURIComponent('secret/key+value=1')],
  ])('hold no key, not even in %s', (_, spelling) => {
    const said = cleanMessage(`{"error":"Wrong key ${spelling} here."}`, ['secret/key+value=1']);
    expect(said).toMatch(/^Wrong key \S{0,8}\*\*\*\S{0,3} here\.$/);
  });
});
