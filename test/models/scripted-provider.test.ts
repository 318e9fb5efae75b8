import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, endOf, open, REMOTE, request, said } from './setup.ts';

let child: ChildProcess;
let url: string;

beforeAll(async () => {
  child = spawn(process.execPath, ['test/harness/scripted-provider.ts', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = String((await once(child.stdout!, 'data'))[0]).trim();
});
afterAll(() => child.kill());

for (const remote of REMOTE) {
  const ask = (text: string) => collect(open(remote, url, { idleMs: 100, maxAttempts: 2 }), request(text));

  test(`on its own, the scripted provider says back to ${remote.provider} what it was told`, async () => {
    expect(said(await ask('a b  c'))).toBe('You said: a b  c');
  });

  test.each([
    ['[[chunks=50 delay=1 text=x]]', 'stop', undefined],
    ['[[chunks=7 perwrite=3]]', 'stop', undefined],
    [`[[fail=500 times=1]] ${remote.provider}`, 'stop', undefined],
    ['[[fail=500]]', 'error', 'model_overloaded'],
    ['[[fail=429 retry-after=99999]]', 'error', 'model_rate_limited'],
    ['[[html]]', 'error', 'model_overloaded'],
    ['[[overflow]]', 'context_overflow', 'model_context_overflow'],
    ['[[stall pings=20]]', 'error', 'model_idle_timeout'],
    ['[[reset]]', 'error', 'model_stream_broken'],
    ['[[malformed]]', 'error', 'model_stream_broken'],
    ['[[nofinish]]', 'error', 'model_stream_broken'],
    ['[[nodone]]', 'stop', undefined],
    ['[[doubledone crlf split=7]]', 'stop', undefined],
    ['[[error=boom]]', 'error', undefined],
    ['[[tool=look args={"a": 1}]]', 'tool_calls', undefined],
  ])(`the words %s make ${remote.provider} end with %s`, async (words, reason, code) => {
    const end = endOf(await ask(words));
    expect(end.reason).toBe(reason);
    if (code) expect(end.error?.code).toBe(code);
  });

  test(`${remote.provider} is held until it is released`, async () => {
    const answer = collect(open(remote, url), request('[[hold]]'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await fetch(`${url}/__release`, { method: 'POST' });
    expect(endOf(await answer).reason).toBe('stop');
  });
}
