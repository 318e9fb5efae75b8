import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Child, type ChildOptions, ProcessStartError, startChild } from '../../server/processes/child.ts';
import { cleanEnvironment } from '../../server/processes/environment.ts';
import { bootId, startTimeOf } from '../../server/processes/proc-files.ts';
import { ProcessRegistry } from '../../server/processes/registry.ts';
import { until as look } from '../harness/parley.ts';

let folder: string;
let registry: ProcessRegistry;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'parley-process-'));
  registry = new ProcessRegistry(path.join(folder, 'processes'));
});
afterEach(async () => {
  await registry.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

const until = (holds: () => boolean) => look(async () => holds(), Boolean);
const env = cleanEnvironment(process.env);
const bash = (script: string, more: Partial<ChildOptions> = {}) =>
  startChild({ command: 'bash', args: ['-c', script], cwd: folder, env, registry, ...more });
const node = (script: string, more: Partial<ChildOptions> = {}) =>
  startChild({ command: process.execPath, args: ['-e', script], cwd: folder, env, registry, ...more });
const notes = () => (existsSync(path.join(folder, 'processes')) ? readdirSync(path.join(folder, 'processes')) : []);

async function collect(child: Child): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(line);
  return lines;
}

/** A zombie has ended, too: only nobody has asked about it yet. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

async function pidIn(name: string): Promise<number> {
  const file = path.join(folder, name);
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  return Number(readFileSync(file, 'utf8'));
}

describe('a program that is started', () => {
  it('is given its arguments as they are, is written to, and says how it ended', async () => {
    const child = await startChild({ command: 'printf', args: ['%s\n', '$(id); *', '-n'], cwd: folder, env });
    expect(await collect(child)).toEqual(['$(id); *', '-n']);
    expect(await child.exited).toEqual({ code: 0, signal: null });
    const cat = await bash('cat; exit 7');
    await cat.write('héllo\n');
    await cat.write('wörld');
    cat.closeInput();
    expect(await collect(cat)).toEqual(['héllo', 'wörld']);
    expect(await cat.exited).toEqual({ code: 7, signal: null });
  });

  it('splits lines at LF alone, and keeps characters whole across pieces', async () => {
    const child = await node(`const b = Buffer.from('é\\u2028x\\r\\ny\\n\\nend');
      let i = 0; (function next() { if (i < b.length) process.stdout.write(b.subarray(i, ++i), next); })();`);
    expect(await collect(child)).toEqual(['é\u2028x\r', 'y', '', 'end']);
  });

  it('is ended when a line never does, and the reader is told', async () => {
    const child = await node(`const b = Buffer.alloc(65536, 'x'); (function on() { process.stdout.write(b, on); })()`, {
      maxLineBytes: 1_000_000,
    });
    await expect(collect(child)).rejects.toThrow('longer than 1000000 bytes');
    expect(isAlive(child.pid)).toBe(false);
  });

  it('takes a line of exactly the limit', async () => {
    const line = 'x'.repeat(5000);
    const child = await bash(`echo ${line}; echo ${line}y`, { maxLineBytes: 5000 });
    const iterator = child.lines[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toBe(line);
    await expect(iterator.next()).rejects.toThrow('longer than 5000 bytes');
  });

  it('waits while nobody reads it, and loses nothing when it is read after its end', async () => {
    const flood = await node(`const b = 'y'.repeat(999) + '\\n'; let n = 0;
      (function on() { require('fs').writeFileSync('n', String(++n)); process.stdout.write(b, on); })()`);
    await until(() => existsSync(path.join(folder, 'n')));
    let before = '';
    await until(() => {
      const now = readFileSync(path.join(folder, 'n'), 'utf8');
      const isStuck = now !== '' && now === before;
      before = now;
      return isStuck;
    });
    expect(Number(before)).toBeLessThan(2000);
    await flood.stop();
    const brief = await bash('echo one; echo two');
    await brief.exited;
    expect(await collect(brief)).toEqual(['one', 'two']);
  });

  it('has the end of its complaints kept, and passed on as they come', async () => {
    let heard = '';
    const child = await bash('for i in $(seq 5000); do echo "line $i" >&2; done', {
      onStderr: (text) => {
        heard += text;
      },
    });
    await collect(child);
    await until(() => heard.endsWith('line 5000\n'));
    expect(heard.startsWith('line 1\n')).toBe(true);
    expect(child.stderrTail().endsWith('line 5000\n')).toBe(true);
    expect(child.stderrTail().length).toBeLessThanOrEqual(8192);
  });

  it('that is not there, or in no folder, is an error with words', async () => {
    const missing = startChild({ command: 'no-such-program', cwd: folder, env, registry });
    await expect(missing).rejects.toThrow(new ProcessStartError('Program not found: no-such-program.', 'ENOENT'));
    await expect(bash('true', { cwd: path.join(folder, 'gone') })).rejects.toThrow('Folder not found');
    writeFileSync(path.join(folder, 'plain'), 'text');
    await expect(startChild({ command: './plain', cwd: folder, env })).rejects.toThrow('is not executable');
    expect(notes()).toEqual([]);
  });

  it('does not take the server with it when it stops listening', async () => {
    const child = await bash('exec 0<&-; sleep 60');
    await expect(child.write('x'.repeat(1_000_000))).rejects.toThrow();
    await child.stop();
    await expect(child.write('more')).rejects.toThrow();
  });
});

describe('a program that is stopped', () => {
  it('ends when its signal aborts, and is not started when it already has', async () => {
    const abort = new AbortController();
    const child = await bash('sleep 60', { signal: abort.signal });
    abort.abort();
    expect(await child.exited).toMatchObject({ signal: 'SIGTERM' });
    await expect(bash('touch started', { signal: abort.signal })).rejects.toThrow('aborted');
    expect(existsSync(path.join(folder, 'started'))).toBe(false);
  });

  it('ends also when it, or what it started, does not want to', async () => {
    const child = await bash(
      `trap '' TERM; (trap '' TERM; echo $BASHPID > inner; while :; do sleep 0.05; done) &
      echo $$ > outer; while :; do sleep 0.05; done`,
      { graceMs: 100 },
    );
    const inner = await pidIn('inner');
    await pidIn('outer');
    await child.stop();
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    await until(() => !isAlive(inner));
  });

  it('ends also when nothing but its group is known of it', async () => {
    const child = await bash(
      `env -i PATH="$PATH" bash -c 'trap "" TERM; echo $$ > bare; while :; do sleep 0.05; done' & sleep 60`,
      {
        graceMs: 100,
      },
    );
    const bare = await pidIn('bare');
    await child.stop();
    await until(() => !isAlive(bare));
  });

  it('takes along those who went into a session of their own', async () => {
    const child =
      await bash(`setsid bash -c 'setsid bash -c "trap \\"\\" TERM; echo \\$\\$ > far; sleep 60; sleep 60" & ' &
      echo $$ > near; sleep 60`);
    const far = await pidIn('far');
    await pidIn('near');
    await child.stop();
    await until(() => !isAlive(far));
  });

  it('that ends by itself leaves nobody behind, and its output ends', async () => {
    const child = await bash(
      `(trap '' TERM; echo $BASHPID > inner; sleep 60; sleep 60) & 
      while [ ! -s inner ]; do sleep 0.01; done; echo done`,
      { graceMs: 50 },
    );
    expect(await collect(child)).toEqual(['done']);
    const inner = await pidIn('inner');
    await until(() => !isAlive(inner));
    await until(() => notes().length === 0);
  });

  it('takes along one that has left its group and its environment', async () => {
    const child = await bash(`setsid env -i PATH="$PATH" bash -c 'echo $$ > free; exec sleep 30' &
      while [ ! -s free ]; do sleep 0.01; done; echo done`);
    const free = await pidIn('free');
    expect(await collect(child)).toEqual(['done']);
    await until(() => !isAlive(free));
  });

  it('has its output closed even when a process that cannot be found holds on to it', async () => {
    const child = await bash(`setsid env -i PATH="$PATH" bash -c 'exec 63<&-; echo $$ > gone; exec sleep 5' &
      while [ ! -s gone ]; do sleep 0.01; done; echo done`);
    expect(await collect(child)).toEqual(['done']);
  });
});

describe('what a killed server has left', () => {
  const nextStart = () => new ProcessRegistry(path.join(folder, 'processes')).reapLeftovers();

  it('is ended at the next start, with everyone it started', async () => {
    const child = await bash(`setsid bash -c 'echo $$ > far; sleep 60; sleep 60' & echo $$ > near; sleep 60`);
    const far = await pidIn('far');
    await pidIn('near');
    expect(await nextStart()).toBe(1);
    await until(() => !isAlive(child.pid) && !isAlive(far));
    expect(notes()).toEqual([]);
  });

  it('is ended at the next start after a real kill -9, too', async () => {
    const at = (file: string) => new URL(`../../server/processes/${file}`, import.meta.url).href;
    const server = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `
      const { startChild } = await import('${at('child.ts')}');
      const { ProcessRegistry } = await import('${at('registry.ts')}');
      await startChild({ command: 'bash', args: ['-c', 'trap "" TERM HUP; echo $$ > left; while :; do sleep 0.05; done'],
        cwd: ${JSON.stringify(folder)}, env: process.env,
        registry: new ProcessRegistry(${JSON.stringify(path.join(folder, 'processes'))}) });`,
    ]);
    const left = await pidIn('left');
    server.kill('SIGKILL');
    await once(server, 'exit');
    expect(isAlive(left)).toBe(true);
    expect(await nextStart()).toBe(1);
    await until(() => !isAlive(left));
  });

  it('is found also when the server was killed before it could note the number', async () => {
    const child = await bash('sleep 60');
    writeFileSync(path.join(folder, 'processes', notes()[0]!), '');
    await nextStart();
    await until(() => !isAlive(child.pid));
  });

  /** Says back what it is told, so that it can prove that it is still there. */
  const startEcho = (more: Partial<ChildOptions> = {}) => startChild({ command: 'cat', cwd: folder, env, ...more });
  const expectEcho = async (child: Child) => {
    await child.write('still here\n');
    for await (const line of child.lines) return expect(line).toBe('still here');
    throw new Error('it has ended');
  };

  it('is not mistaken for a stranger who has the same number now', async () => {
    const stranger = await startEcho();
    const server = { pid: 4_000_000, started: '1', boot: bootId() };
    const write = (child: object) =>
      writeFileSync(path.join(folder, 'processes', randomUUID()), JSON.stringify({ server, child }));
    mkdirSync(path.join(folder, 'processes'));
    write({ pid: stranger.pid, started: '1', boot: bootId() });
    write({ pid: stranger.pid, started: startTimeOf(stranger.pid), boot: 'another life' });
    write({ pid: stranger.pid, started: null, boot: null });
    for (const name of [randomUUID(), 'a', '.DS_Store']) writeFileSync(path.join(folder, 'processes', name), '{ torn');
    await nextStart();
    await expectEcho(stranger);
    await stranger.stop();
  });

  it('is left alone when the folder is a copy of one whose server goes on', async () => {
    const child = await startEcho({ registry });
    const other = await startEcho();
    const server = { pid: other.pid, started: startTimeOf(other.pid), boot: bootId() };
    writeFileSync(path.join(folder, 'processes', notes()[0]!), JSON.stringify({ server }));
    await nextStart();
    await expectEcho(child);
    await other.stop();
  });

  it('is nothing when everyone has ended', async () => {
    await (await bash('true')).stop();
    expect(await nextStart()).toBe(0);
    expect(await new ProcessRegistry(path.join(folder, 'never')).reapLeftovers()).toBe(0);
  });
});

describe('the environment of a program', () => {
  it('holds what is needed and what is added, and nothing that runs code', () => {
    const from = { PATH: '/bin', HOME: '/h', LC_ALL: 'C', OPENAI_API_KEY: 'sk', LD_PRELOAD: 'x', NODE_OPTIONS: 'y' };
    const add = {
      GITHUB_TOKEN: 't',
      NODE_OPTIONS: '--require evil',
      LD_LIBRARY_PATH: 'x',
      DYLD_INSERT_LIBRARIES: 'x',
      PYTHONSTARTUP: 'x',
      BASH_ENV: 'x',
      ENV: 'x',
      'BASH_FUNC_ls%%': '() { evil; }',
      'A=B': 'x',
      NUL: 'a\0b',
      MISSING: undefined,
      __proto__: 'x',
    };
    expect({ ...cleanEnvironment(from, add) }).toEqual({ PATH: '/bin', HOME: '/h', LC_ALL: 'C', GITHUB_TOKEN: 't' });
  });

  it('does not make a script look like a remote login, which would execute start-up files', async () => {
    writeFileSync(path.join(folder, '.bashrc'), 'echo from the start-up file');
    writeFileSync(path.join(folder, 'script.sh'), '#!/usr/bin/env bash\necho from the script', { mode: 0o755 });
    const home = cleanEnvironment(process.env, { HOME: folder });
    expect(await collect(await bash('echo from the shell', { env: home }))).toEqual(['from the shell']);
    const script = await startChild({ command: './script.sh', cwd: folder, env: home, registry });
    expect(await collect(script)).toEqual(['from the script']);
  });

  it('is all that the program sees, besides the mark by which it is found', async () => {
    const child = await startChild({ command: 'env', cwd: folder, env: { PATH: process.env.PATH!, A: '1' } });
    const names = (await collect(child)).map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(['A', 'PARLEY_PROCESS', 'PATH', 'SHLVL']);
  });
});
