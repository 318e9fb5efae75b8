import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from '../../server/tools/plugins/files/workspace.ts';
import { PERSON, ToolFixture } from './tool-fixture.ts';

let bench: ToolFixture;
let workspace: string;
let outside: string;
beforeEach(async () => {
  bench = await ToolFixture.open();
  workspace = path.join(bench.home, 'workspaces', 'helper');
  mkdirSync(workspace, { recursive: true });
  outside = mkdtempSync(path.join(os.tmpdir(), 'parley-outside-'));
  writeFileSync(path.join(outside, 'secret.txt'), 'the secret');
});
afterEach(async () => {
  await bench.close();
  rmSync(outside, { recursive: true, force: true });
});

const at = (...names: string[]) => path.join(workspace, ...names);
const put = (name: string, content: string | Buffer) => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
};

describe('the files of a workspace', () => {
  it('are written, read, changed, found, moved and deleted', async () => {
    expect(await bench.call('files_list')).toBe('. is empty.');
    expect(await bench.call('files_write', { path: 'notes/a.md', content: 'ä one\ntwo\n' })).toBe(
      'Wrote 11 bytes to notes/a.md.',
    );
    await bench.call('files_write', { path: 'notes/a.md', content: 'three $& \n', append: true });
    expect(readFileSync(at('notes/a.md'), 'utf8')).toBe('ä one\ntwo\nthree $& \n');
    expect(await bench.call('files_read', { path: 'notes/a.md' })).toBe('ä one\ntwo\nthree $& \n');
    expect(await bench.call('files_edit', { path: 'notes/a.md', find: 'two', replace: '$1 $&' })).toBe(
      'Replaced one occurrence in notes/a.md.',
    );
    expect(readFileSync(at('notes/a.md'), 'utf8')).toBe('ä one\n$1 $&\nthree $& \n');
    expect(await bench.call('files_search', { text: '$&' })).toBe('notes/a.md:2: $1 $&\nnotes/a.md:3: three $&');
    expect(await bench.call('files_search', { text: 'THREE', ignoreCase: true, names: '*.txt' })).toBe('No matches.');
    expect(await bench.call('files_move', { from: 'notes/a.md', to: 'old/b.md' })).toBe(
      'Moved notes/a.md to old/b.md.',
    );
    expect(await bench.call('files_list', { depth: 2 })).toBe('notes/\nold/\nold/b.md (23 bytes)');
    await bench.call('files_delete', { path: 'old/b.md' });
    await bench.call('files_delete', { path: 'old' });
    expect(readdirSync(workspace)).toEqual(['notes']);
  });

  it("are an agent's own, and people have some, too", async () => {
    await bench.call('files_write', { path: 'a', content: '1' }, { agentId: 'wisp/one' });
    await bench.call('files_write', { path: 'a', content: '2' }, { agentId: 'wisp-one' });
    await bench.call('files_write', { path: 'a', content: '3' }, PERSON);
    expect(readdirSync(path.join(bench.home, 'workspaces')).sort()).toEqual([
      '_people',
      'helper',
      'wisp+one',
      'wisp-one',
    ]);
    expect(await bench.call('files_read', { path: 'a' }, { agentId: 'wisp/one' })).toBe('1');
    await expect(bench.call('files_read', { path: 'a' })).rejects.toThrow('File not found: a.');
  });

  it('are where the configuration says, as soon as it does', async () => {
    bench.settings = { ...bench.settings, files: { workspaces: { helper: outside, lost: 'nowhere' } } };
    expect(await bench.call('files_read', { path: 'secret.txt' })).toBe('the secret');
    await expect(bench.call('files_list', {}, { agentId: 'lost' })).rejects.toThrow('workspace folder does not exist');
    expect(await bench.call('files_list', {}, { agentId: 'constructor' })).toBe('. is empty.');
  });

  it('are read in pieces, however large they are', async () => {
    put('big.txt', Array.from({ length: 50_000 }, (_, n) => `line ${n + 1}\n`).join(''));
    const first = await bench.call('files_read', { path: 'big.txt', limit: 2 });
    expect(first).toBe('line 1\nline 2\n\n[big.txt continues: use offset 3]');
    expect(await bench.call('files_read', { path: 'big.txt', offset: 50_000 })).toBe('line 50000\n');
    expect(await bench.call('files_read', { path: 'big.txt', offset: 50_001 })).toBe(
      'big.txt has fewer than 50001 lines.',
    );
    const most = await bench.call('files_read', { path: 'big.txt', limit: 10_000, offset: 30_000 });
    expect(most).toMatch(/line 39999\n\n\[big\.txt continues: use offset 40000\]$/);
    put('long.txt', `${'x'.repeat(300_000)}\nnext\n`);
    const cut = await bench.call('files_read', { path: 'long.txt' });
    expect([cut.length < 201_000, cut.endsWith('[long.txt continues: use offset 2]')]).toEqual([true, true]);
    put('two.txt', `short\n${'x'.repeat(300_000)}\nnext\n`);
    expect(await bench.call('files_read', { path: 'two.txt' })).toBe('short\n\n[two.txt continues: use offset 2]');
  });

  it('are text, and of a bearable size', async () => {
    put('picture.png', Buffer.from([137, 80, 78, 71, 0, 1, 2]));
    await expect(bench.call('files_read', { path: 'picture.png' })).rejects.toThrow('is not a text file');
    await expect(bench.call('files_edit', { path: 'picture.png', find: 'P', replace: 'Q' })).rejects.toThrow(
      'is not a text file',
    );
    put('latin.txt', Buffer.from('caf\xe9', 'latin1'));
    await expect(bench.call('files_edit', { path: 'latin.txt', find: 'caf', replace: 'Caf' })).rejects.toThrow(
      'is not a text file',
    );
    put('large.txt', 'x'.repeat(1_000_001));
    await expect(bench.call('files_edit', { path: 'large.txt', find: 'x', replace: 'y' })).rejects.toMatchObject({
      code: 'too_large',
    });
    await expect(bench.call('files_write', { path: 'a', content: 'é'.repeat(600_000) })).rejects.toMatchObject({
      code: 'too_large',
    });
    put('empty', '');
    expect(await bench.call('files_read', { path: 'empty' })).toBe('empty is empty.');
    put('many.txt', 'ab'.repeat(400_000));
    for (const replace of ['bcd', 'b'.repeat(100_000)])
      await expect(bench.call('files_edit', { path: 'many.txt', find: 'b', replace, all: true })).rejects.toMatchObject(
        { code: 'too_large' },
      );
  });

  it('are changed only as was meant', async () => {
    put('a.txt', 'one two two');
    await expect(bench.call('files_edit', { path: 'a.txt', find: 'two', replace: '2' })).rejects.toThrow(
      'occurs 2 times',
    );
    await expect(bench.call('files_edit', { path: 'a.txt', find: 'six', replace: '6' })).rejects.toThrow(
      'does not occur',
    );
    expect(await bench.call('files_edit', { path: 'a.txt', find: 'two', replace: '2', all: true })).toBe(
      'Replaced 2 occurrences in a.txt.',
    );
    put('b.txt', 'b');
    await expect(bench.call('files_move', { from: 'a.txt', to: 'b.txt' })).rejects.toThrow('b.txt already exists.');
    await expect(bench.call('files_delete', { path: '.' })).rejects.toThrow('The workspace folder itself');
    put('full/x', '');
    await expect(bench.call('files_delete', { path: 'full' })).rejects.toThrow('full is not empty.');
    await expect(bench.call('files_write', { path: 'full', content: '' })).rejects.toThrow('full is not a file.');
    await expect(bench.call('files_write', { path: 'a.txt/b', content: '' })).rejects.toThrow('is not a folder');
    await expect(bench.call('files_move', { from: 'full', to: 'full/inner' })).rejects.toThrow(/can't be moved/);
  });

  it('lose nothing when they are edited several times at once', async () => {
    put('list.txt', Array.from({ length: 20 }, (_, n) => `<${n}>`).join(' '));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bench.call('files_edit', { path: 'list.txt', find: `<${n}>`, replace: `[${n}]` }),
      ),
    );
    expect(readFileSync(at('list.txt'), 'utf8')).toBe(Array.from({ length: 20 }, (_, n) => `[${n}]`).join(' '));
  });

  it('keep their mode, and leave no drafts behind', async () => {
    put('run.sh', 'echo');
    chmodSync(at('run.sh'), 0o755);
    await bench.call('files_write', { path: 'run.sh', content: 'echo 2' });
    expect([statSync(at('run.sh')).mode & 0o777, readdirSync(workspace)]).toEqual([0o755, ['run.sh']]);
  });

  it('are searched and listed within bounds', async () => {
    for (let n = 0; n < 30; n++) put(`d/${n}.txt`, 'needle\n'.repeat(10));
    put('node_modules/x.txt', 'needle');
    put('.git/x', 'needle');
    put('bin', Buffer.from('needle\0'));
    const found = await bench.call('files_search', { text: 'needle', limit: 5 });
    expect(found.split('\n').length).toBe(6);
    expect(found).toMatch(/narrow the search\]$/);
    expect(await bench.call('files_list', { path: 'd', limit: 3 })).toBe(
      'd/0.txt (70 bytes)\nd/1.txt (70 bytes)\nd/10.txt (70 bytes)\n[More entries exist; list a subfolder]',
    );
    expect(await bench.call('files_search', { text: 'needle', limit: 500 })).not.toMatch(/node_modules|\.git|bin/);
  });
});

describe('nothing leads out of a workspace', () => {
  const everything = (place: string): [string, object][] => [
    ['files_read', { path: place }],
    ['files_list', { path: place }],
    ['files_write', { path: place, content: 'overwritten' }],
    ['files_write', { path: place, content: 'added', append: true }],
    ['files_edit', { path: place, find: 'secret', replace: 'overwritten' }],
    ['files_search', { path: place, text: 'secret' }],
    ['files_move', { from: place, to: 'stolen' }],
    ['files_delete', { path: place }],
  ];
  const untouched = () => {
    expect(readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('the secret');
    expect(readdirSync(outside)).toEqual(['secret.txt']);
  };

  it.each(['../../../../../../etc/passwd', '..', '../other', 'a/../../helper2', '/etc/passwd', '/', 'a\0b', './../x'])(
    'no path: %j',
    async (place) => {
      for (const [tool, input] of everything(place))
        await expect(bench.call(tool, input)).rejects.toMatchObject({ name: 'ToolFailure' });
      for (const [tool, input] of everything(place).slice(0, 5))
        await expect(bench.call(tool, input)).rejects.toMatchObject({ code: 'outside_workspace' });
    },
  );

  it('no link, to a file or to a folder', async () => {
    symlinkSync(path.join(outside, 'secret.txt'), at('file'));
    symlinkSync(outside, at('folder'));
    symlinkSync('../../..', at('up'));
    for (const place of ['file', 'folder/secret.txt', 'folder/new/deep.txt', 'up/parley.db', 'folder'])
      for (const [tool, input] of everything(place).slice(0, 5)) {
        await expect(bench.call(tool, input), `${tool} ${place}`).rejects.toMatchObject({ code: 'outside_workspace' });
      }
    await expect(bench.call('files_move', { from: 'folder/secret.txt', to: 'mine' })).rejects.toMatchObject({
      code: 'outside_workspace',
    });
    await expect(bench.call('files_delete', { path: 'folder/secret.txt' })).rejects.toMatchObject({
      code: 'outside_workspace',
    });
    put('own', 'x');
    await expect(bench.call('files_move', { from: 'own', to: 'folder/own' })).rejects.toMatchObject({
      code: 'outside_workspace',
    });
    expect(await bench.call('files_search', { text: 'secret' })).toBe('No matches.');
    expect(await bench.call('files_list', { depth: 5 })).toBe('file (link)\nfolder (link)\nown (1 bytes)\nup (link)');
    await bench.call('files_delete', { path: 'folder' });
    untouched();
  });

  it('no link that leads nowhere yet', async () => {
    symlinkSync(path.join(outside, 'new.txt'), at('dangling'));
    symlinkSync(path.join(outside, 'new-folder'), at('dangling-folder'));
    symlinkSync('loop', at('loop'));
    await expect(bench.call('files_write', { path: 'dangling', content: 'x', append: true })).rejects.toThrow();
    await bench.call('files_write', { path: 'dangling', content: 'x' }).catch(() => {});
    await expect(bench.call('files_write', { path: 'dangling-folder/x', content: 'x' })).rejects.toThrow();
    await expect(bench.call('files_read', { path: 'loop' })).rejects.toThrow();
    untouched();
  });

  it('but links that stay inside are followed', async () => {
    put('real/a.txt', 'inside');
    symlinkSync('real', at('alias'));
    symlinkSync(at('real/a.txt'), at('direct'));
    expect(await bench.call('files_read', { path: 'alias/a.txt' })).toBe('inside');
    await bench.call('files_write', { path: 'direct', content: 'changed' });
    expect(readFileSync(at('real/a.txt'), 'utf8')).toBe('changed');
    expect(await bench.call('files_read', { path: at('real/a.txt') })).toBe('changed');
  });

  it('also when a folder is exchanged for a link between the look and the use', async () => {
    put('d/secret.txt', 'own');
    const real = realpathSync(workspace);
    let isOver = false;
    const tryTo = (act: () => void) => {
      try {
        act();
      } catch {}
    };
    const swap = async () => {
      while (!isOver) {
        tryTo(() => renameSync(at('d'), at('d2')));
        // The folder may have been made anew meanwhile.
        if (!existsSync(at('d'))) tryTo(() => symlinkSync(outside, at('d')));
        await new Promise(setImmediate);
        rmSync(at('d'), { recursive: true, force: true });
        tryTo(() => renameSync(at('d2'), at('d')));
        await new Promise(setImmediate);
      }
    };
    const swapping = swap();
    const seen = new Set<string>();
    for (let n = 0; n < 300; n++) {
      const use = new Workspace(real);
      const read = await use.openFile('d/secret.txt').then(
        async (file) => file.readFile('utf8').finally(() => file.close()),
        () => 'refused',
      );
      seen.add(read);
      await use.appendToFile('d/secret.txt', '').catch(() => {});
      await use.replaceFile('d/new.txt', 'x').catch(() => {});
    }
    isOver = true;
    await swapping;
    expect(seen).not.toContain('the secret');
    expect(seen).toContain('own');
    untouched();
  });

  it('and what is no file is not opened', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await expect(bench.call('files_read', { path: 'pipe' })).rejects.toThrow('pipe is not a file.');
    await expect(bench.call('files_write', { path: 'pipe', content: 'x' })).rejects.toThrow('pipe is not a file.');
    await expect(bench.call('files_write', { path: 'pipe', content: 'x', append: true })).rejects.toThrow(
      'pipe is not a file.',
    );
    await expect(bench.call('files_read', { path: '.' })).rejects.toThrow('. is not a file.');
  });

  it('and a failure does not say where the workspace is', async () => {
    linkSync(path.join(outside, 'secret.txt'), at('hard'));
    for (const [tool, input] of [...everything('none/x'), ...everything('hard/x')].filter(
      ([name]) => name !== 'files_write',
    )) {
      const error: Error = await bench.call(tool, input).then(
        () => new Error(`${tool} went through`),
        (reason) => reason,
      );
      expect(error.message).not.toContain(bench.home);
      expect(error).toMatchObject({ name: 'ToolFailure' });
    }
    expect(existsSync(at('none'))).toBe(false);
  });
});
