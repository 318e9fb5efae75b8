import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { ClaudeFile, ProgramFolders } from '../imports/program-files.ts';
import { makeHome, parley, serve } from './parley.ts';

const ID = '6f1d2c3b-0000-4000-8000-000000000001';

function claudeSessions(): ProgramFolders {
  const folders = new ProgramFolders();
  onTestFinished(() => rmSync(folders.root, { recursive: true }));
  const file = new ClaudeFile();
  file.person('Plan the trip');
  file.answer('msg_1', [{ type: 'text', text: 'By train.' }]);
  folders.claude(ID, file.records);
  return folders;
}

test('sessions of Claude are listed and imported, and the missing agent is named', async () => {
  const home = makeHome();
  await serve(home, claudeSessions().env);

  const listed = await parley(home, ['import', '--from', 'claude', '--list']);
  expect(listed.stdout).toMatch(/ID +Changed +Folder +Title/);
  expect(listed.stdout).toMatch(new RegExp(`${ID} .* /projects/trip +Plan the trip`));
  const imported = await parley(home, ['import', '--from', 'claude', '6f1d', '--name', 'trip']);
  expect(imported.stdout).toMatch(/^Imported "trip", 2 messages: /);
  expect(imported.stderr).toContain('parley agents discover --add claude-code');
  const shown = await parley(home, ['export', 'trip', '-f', 'markdown']);
  expect(shown.stdout).toContain('By train.');
  const again = await parley(home, ['import', '--from', 'claude']);
  expect(again.stdout).toContain('Plan the trip (imported)');
});

test('an unknown session, and a file together with others, are refused in words', async () => {
  const home = makeHome();
  await serve(home, claudeSessions().env);
  const unknown = await parley(home, ['import', '--from', 'claude', 'nothing']);
  expect(unknown.stderr).toContain('claude has no session nothing. See: parley import --from claude --list');
  const none = await parley(home, ['import', '--from', 'codex']);
  expect(none.stdout).toBe('No sessions of codex found on this machine.\n');
  const two = await parley(home, ['import', 'a.json', 'b.json']);
  expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('Give one file') });
});
