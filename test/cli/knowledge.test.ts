import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pdfOf } from '../harness/documents.ts';
import { makeHome, parley, serve } from './parley.ts';

async function setUp() {
  const home = makeHome();
  await serve(home);
  const folder = path.join(home, 'mine');
  mkdirSync(folder);
  const file = (name: string, contents: string | Buffer) => {
    writeFileSync(path.join(folder, name), contents);
    return path.join(folder, name);
  };
  const run = async (args: string[], input?: string) => {
    const result = await parley(home, args, input === undefined ? {} : { input });
    expect([args, result.code, result.stderr]).toEqual([args, 0, result.stderr]);
    return result.stdout;
  };
  const refused = async (...args: string[]) => {
    const result = await parley(home, args);
    expect([args, result.code]).not.toEqual([args, 0]);
    return result.stderr;
  };
  return { folder, file, run, refused };
}

const AGENT = 'wisp/concierge';

test('files and notes are added, shown, searched, attached, exported, removed and imported', async () => {
  const { folder, file, run, refused } = await setUp();
  expect(await run(['knowledge'])).toContain('Nothing yet.');
  const policy = file('policy.pdf', pdfOf([['Travel'], ['Refunds take nine days.']]));
  const faq = file('faq.md', '# Opening\n\nFrom nine to five.\n');
  expect(await run(['knowledge', 'add', policy, faq, '-a', AGENT])).toBe(
    'policy.pdf: 2 pages, 2 passages\nfaq.md: 1 passage\n',
  );
  await run(['notes', 'new', 'Rome', 'A hotel near the river.']);
  await run(['knowledge', 'add', 'rome', '--note', '-a', 'wisp/scheduler']);
  const listed = await run(['knowledge', 'list', '-a', AGENT]);
  expect(listed).toMatch(/policy\.pdf\s+pdf\s+ready\s+2\s+wisp\/concierge/);
  expect(listed).not.toContain('Rome');
  expect(await run(['knowledge', 'search', 'refunds', '-a', AGENT])).toBe(
    'policy.pdf, p. 2\nRefunds take nine days.\n\n',
  );
  expect(await run(['knowledge', 'search', 'hotel', '-a', AGENT])).toBe('Nothing found.\n');
  expect(await run(['knowledge', 'show', 'FAQ.md'])).toContain('1 · Opening\n# Opening\n\nFrom nine to five.');
  await run(['knowledge', 'attach', 'rome', AGENT, '--children']);
  expect(await run(['knowledge', 'search', 'hotel', '-a', AGENT])).toContain('hotel near the river');
  await run(['knowledge', 'detach', 'rome', AGENT]);
  expect(await run(['knowledge', 'rename', 'faq.md', 'Questions.md'])).toBe('"faq.md" is called "Questions.md" now.\n');
  expect(await refused('knowledge', 'rename', 'rome', 'Paris')).toContain('Rename the note.');
  await run(['knowledge', 'rename', 'questions.md', 'faq.md']);
  expect(await run(['knowledge', 'search', 'hotel', '-a', AGENT])).toBe('Nothing found.\n');

  const backup = path.join(folder, 'backup');
  expect(await run(['knowledge', 'export', backup])).toBe(`Exported 3 sources to ${backup}.\n`);
  const { sources } = JSON.parse(readFileSync(path.join(backup, 'knowledge.json'), 'utf8'));
  expect(sources.map(({ name }: { name: string }) => name)).toEqual(['Rome', 'faq.md', 'policy.pdf']);
  expect(readdirSync(backup)).toHaveLength(3);
  for (const name of ['policy.pdf', 'faq.md', 'Rome'])
    expect(await run(['knowledge', 'remove', name, '--yes'])).toBe(`Deleted "${name}".\n`);
  expect(await run(['knowledge'])).toContain('Nothing yet.');
  expect(await run(['knowledge', 'import', backup])).toBe('Rome: imported\nfaq.md: imported\npolicy.pdf: imported\n');
  await run(['knowledge', 'retry', 'policy.pdf']);
  expect(await run(['knowledge', 'search', 'refunds', '-a', AGENT])).toContain('Refunds take nine days.');
  expect(await run(['knowledge', 'list', '-a', 'wisp/scheduler'])).toContain('Rome');
  expect(await refused('knowledge', 'show', 'nothing')).toContain('No source has the name or ID "nothing".');
  expect(await refused('knowledge', 'import', folder)).toContain('has no knowledge.json');
}, 90_000);

test('what cannot be read says why, and fails the command', async () => {
  const { file, run, refused } = await setUp();
  expect(await refused('knowledge', 'add', '/no/such/file')).toContain('File not found');
  expect(await refused('knowledge', 'add', file('x.bin', Buffer.from([0, 1, 2])))).toContain('is none of these');
  expect(await refused('knowledge', 'add', file('bad.pdf', '%PDF-1.7 nothing'))).toContain('could be read');
  expect(await run(['knowledge'])).toContain('failed: It is damaged');
  expect(await refused('knowledge', 'add', file('a.txt', 'words'), '-a', 'nobody')).toContain('Agent not found');
});
