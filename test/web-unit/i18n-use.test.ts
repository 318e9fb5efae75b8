import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { en } from '../harness/words.ts';

const ROOT = path.resolve(import.meta.dirname, '../../web');
const KEYS = Object.keys(en);
const AREAS = new Set(KEYS.map((key) => key.split('.')[0]!));
const SOURCES = globSync('**/*.{ts,tsx}', { cwd: ROOT })
  .filter((file) => !/^i18n[\\/](?!text|formats)/.test(file))
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'));

describe('the words of the app', () => {
  it('are all in the catalogue', () => {
    const asked = SOURCES.flatMap((source) => capture(source, /\b(?:text|words|say)\(\s*'([^']+)'/g));
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((key) => !Object.hasOwn(en, key))).toEqual([]);
  });

  it('begin a key that is put together with something in the catalogue', () => {
    expect(patterns().filter((pattern) => !KEYS.some((key) => pattern.test(key)))).toEqual([]);
  });

  it('are each used somewhere', () => {
    const literal = new Set(SOURCES.flatMap((source) => capture(source, /['"`]([a-zA-Z]+(?:\.\w+)+)['"`]/g)));
    // `settings.${section}` would excuse a whole area, and says nothing that is not a title elsewhere.
    const made = patterns().filter((pattern) => !pattern.test('settings.anything'));
    expect(KEYS.filter((key) => !literal.has(key) && !made.some((pattern) => pattern.test(key)))).toEqual([]);
  });
});

/** Keys put together like `status.${status}`: each hole stands for one name, or for a path of names in a field. */
function patterns(): readonly RegExp[] {
  const templates = SOURCES.flatMap((source) => capture(source, /`([a-zA-Z]+\.[\w.]*\$\{[^`]*)`/g));
  return templates.filter((template) => AREAS.has(template.split('.')[0]!)).map(toPattern);
}

function toPattern(template: string): RegExp {
  const pieces = template.split(/\$\{[^}]*\}/).map((piece) => piece.replaceAll('.', '\\.'));
  const hole = template.startsWith('agents.field.') ? '[\\w.]+' : '\\w+';
  return new RegExp(`^${pieces.join(hole)}$`);
}

function capture(source: string, pattern: RegExp): readonly string[] {
  return [...source.matchAll(pattern)].map(([, found]) => found!);
}
