import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptOutput } from '../../server/tools/plugins/bash/kept-output.ts';
import { PERSON, ToolFixture } from './tool-fixture.ts';

let bench: ToolFixture;
beforeEach(async () => {
  bench = await ToolFixture.open({ bash: { agents: ['helper', 'wisp/*'] } });
});
afterEach(() => bench.close());

const workspace = (...names: string[]) => path.join(bench.home, 'workspaces', 'helper', ...names);
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
const pidIn = async (name: string) => {
  await expect.poll(() => (existsSync(workspace(name)) ? readFileSync(workspace(name), 'utf8') : '')).toMatch(/\d\n/);
  return Number(readFileSync(workspace(name), 'utf8'));
};

/** Work that opens no work of its own. */
const ALONE = { openWork: () => Promise.reject(new Error('not wanted')) };

describe('bash', () => {
  it('is for the agents that the configuration names, at once when it changes', () => {
    const bash = bench.toolbox.find('bash')!;
    expect([bash.agents, bash.risk]).toEqual([['helper', 'wisp/*'], 'execute']);
    bench.settings = { ...bench.settings, bash: { agents: [] } };
    expect(bench.toolbox.find('bash')!.agents).toEqual([]);
  });

  it('runs a script in the workspace and says how it ended', async () => {
    const { text, isError } = await bench.callFully('bash', {
      command: 'echo "$PWD"; echo "a b" | wc -w; cat; exit 0',
    });
    expect([text, isError]).toEqual([`${workspace()}\n2\n[exit code 0]`, false]);
    expect(await bench.callFully('bash', { command: 'exit 3' })).toEqual({ text: '[exit code 3]', isError: true });
    expect((await bench.callFully('bash', { command: 'kill -9 $$' })).text).toBe('[killed by SIGKILL]');
    expect((await bench.callFully('bash', { command: 'if then' })).text).toMatch(/syntax error[\s\S]*\[exit code 2\]$/);
  });

  it('shows errors where they happened among the rest, and all of it as it comes', async () => {
    const text = await bench.call(
      'bash',
      { command: 'echo 1; echo 2 >&2; echo 3; while [ ! -e go ]; do sleep 0.02; done; echo 4' },
      {
        progress: ({ text }) => {
          bench.progress.push(text ?? '');
          if (bench.progress.join('') === '1\n2\n3\n') void bench.call('files_write', { path: 'go', content: '' });
        },
      },
    );
    expect(text).toBe('1\n2\n3\n4\n[exit code 0]');
    expect(bench.progress.join('')).toBe('1\n2\n3\n4\n');
  });

  it('is told how to call back, and nothing of what the server knows', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret';
    process.env.NODE_OPTIONS_TEST = 'x';
    try {
      const text = await bench.call('bash', { command: 'env' });
      expect(text).toContain('PARLEY_TURN_TOKEN=turn-token\n');
      expect(text).toContain('PARLEY_URL=http://127.0.0.1:4747\n');
      expect(text).not.toMatch(/sk-secret|NODE_OPTIONS|VITEST/);
      expect(await bench.call('bash', { command: 'env' }, PERSON)).not.toContain('PARLEY_TURN_TOKEN');
    } finally {
      delete process.env.OPENAI_API_KEY;
      delete process.env.NODE_OPTIONS_TEST;
    }
  });

  it('ends with its time, also when it does not want to, with everyone it started', async () => {
    const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > pid; sleep 60; sleep 60) & echo started; sleep 60; sleep 60`;
    const { text, isError } = await bench.callFully('bash', { command, timeoutSeconds: 2 });
    expect([text, isError]).toEqual(['started\n[stopped after 2 s]', true]);
    const pid = await pidIn('pid');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('ends with its turn', async () => {
    const abort = new AbortController();
    const call = bench.call('bash', { command: 'echo $$ > pid; sleep 60' }, { signal: abort.signal });
    const pid = await pidIn('pid');
    abort.abort(new Error('the turn is over'));
    await expect(call).rejects.toThrow('the turn is over');
    await expect.poll(() => isAlive(pid)).toBe(false);
    await expect.poll(() => readdirSync(path.join(bench.home, 'processes'))).toEqual([]);
  });

  it('keeps the beginning and the end of what is too much', async () => {
    const text = await bench.call('bash', {
      command: `echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end`,
    });
    expect(text.length).toBeLessThan(1_001_000);
    expect(text).toMatch(/^begin\nx/);
    expect(text).toMatch(/x\nend\n\[exit code 0\]$/);
    expect(text).toMatch(/\n\[\d+ characters omitted\]\n/);
  });

  it('goes on by itself when it is told to', async () => {
    const text = await bench.call('bash', { command: 'echo one; exit 4', background: true });
    expect(text).toBe('Started in the background, in session aside. You will be notified when it ends.');
    expect(bench.background).toMatchObject({ title: 'bash: echo one; exit 4', description: 'echo one; exit 4' });
    const said: string[] = [];
    const follow = async () => {
      for await (const piece of bench.background!.run(new AbortController().signal, ALONE)) said.push(piece);
    };
    await follow();
    expect(said.join('')).toBe('one\n\n[exit code 4]');
  });

  it('is stopped in the background when nobody follows it any more', async () => {
    await bench.call('bash', { command: 'echo $$ > pid; echo on; sleep 60', background: true });
    for await (const piece of bench.background!.run(new AbortController().signal, ALONE)) {
      expect(piece).toBe('on\n');
      break;
    }
    const pid = await pidIn('pid');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe('a kept output', () => {
  it('is whole as long as it fits, and says how much is missing when it does not', () => {
    const small = new KeptOutput();
    for (const text of ['a'.repeat(499_999), 'b'.repeat(500_001)]) small.add(text);
    expect(small.text()).toBe('a'.repeat(499_999) + 'b'.repeat(500_001));
    small.add('c');
    expect(small.text()).toMatch(/^a+b\n\[1 characters omitted\]\nb{499999}c$/);
  });
});
