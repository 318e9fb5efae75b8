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
    ['<!-- x --><!DOCTYPE html><body>', 'an HTML page instead of an answer'],
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
});
