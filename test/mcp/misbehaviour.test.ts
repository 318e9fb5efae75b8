import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMarked } from '../../server/processes/proc-files.ts';
import { call, failure, McpFixture, scripted, toolOf, until } from './mcp-fixture.ts';

const name = { name: 'Ada' };
const deaf = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };

describe('a server that dies', () => {
  it('ends the call, says that its outcome is not known, and is started again by the next call', async () => {
    const fixture = new McpFixture({ it: scripted() });
    const servers = await fixture.meet();
    const died = await failure(call(toolOf(servers, 'it__die')).result);
    expect(died).toMatchObject({
      code: 'mcp_server_failed',
      message: expect.stringContaining('the tool finished. It exited with code 3.'),
    });
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: 'It exited with code 3.', restarts: 0 });
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');
    expect(servers.list()[0]).toMatchObject({ state: 'ready', error: null, restarts: 1 });
  });

  it('is given more time before each new start, up to a bound', async () => {
    const fixture = new McpFixture({ missing: { command: 'no-such-program-anywhere' } });
    const servers = await fixture.open();
    const look = () => failure(servers.accept('missing', 'x'));
    for (let time = 0; time < 10; time++) expect(await look()).toMatchObject({ code: 'mcp_server_failed' });
    const pauses = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000];
    expect(fixture.waits).toHaveLength(pauses.length);
    for (const [index, pause] of pauses.entries()) expect(fixture.waits[index]).toBeLessThanOrEqual(pause);
    expect(fixture.waits.at(-1)).toBeGreaterThan(16_000);

    expect(await failure(servers.restart('missing'))).toMatchObject({ code: 'mcp_server_failed' });
    expect(fixture.waits).toHaveLength(pauses.length);
  });

  it('at its start says why, and holds nobody up', async () => {
    const fixture = new McpFixture({
      missing: { command: 'no-such-program-anywhere' },
      broken: { command: process.execPath, args: ['-e', 'console.error("no config"); process.exit(7)'] },
      unset: { command: process.execPath, env: { TOKEN: '${NOT_SET_ANYWHERE}' } },
      forbidden: { command: process.execPath, env: { NODE_OPTIONS: '--inspect' } },
      off: { command: process.execPath, disabled: true },
      good: scripted(),
    });
    const servers = await fixture.meet();
    const errors = Object.fromEntries(servers.list().map(({ name, state, error }) => [name, `${state}: ${error}`]));
    expect(errors).toEqual({
      missing: 'failed: Program not found: no-such-program-anywhere.',
      broken: 'failed: It exited with code 7. Its last output: no config',
      unset: 'failed: The variable NOT_SET_ANYWHERE is not set.',
      forbidden: 'failed: Its env sets NODE_OPTIONS, which is not allowed.',
      off: 'stopped: null',
      good: 'ready: null',
    });
    expect(toolOf(servers, 'good__hello')).toBeDefined();
    expect(await failure(servers.restart('missing'))).toMatchObject({ code: 'mcp_server_failed' });
    // Whoever failed is left alone for a while, so that the next turn does not wait for it.
    const { restarts } = servers.list()[0]!;
    await servers.ensureKnown();
    expect(servers.list()[0]!.restarts).toBe(restarts);
  });
});

describe('a server that does not answer', () => {
  it('at its start is ended', async () => {
    const fixture = new McpFixture({ deaf });
    const servers = await fixture.meet({ startMs: 300 });
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: 'It did not respond within 0.3 s.' });
    expect(running(fixture)).toBe(0);
  });

  it('is given up after its time, and is told so', async () => {
    const fixture = new McpFixture({});
    const notes = path.join(fixture.folder, 'notes');
    fixture.configure({ it: scripted({ notes }, { timeoutMs: 250 }) });
    const servers = await fixture.meet();
    const silent = await failure(call(toolOf(servers, 'it__silent')).result);
    expect(silent).toMatchObject({ code: 'timed_out', message: expect.stringContaining('0.25 s') });
    await until(() => noted(notes, 'silent was cancelled'));
    expect(servers.list()[0]).toMatchObject({ state: 'ready' });
  });

  it('is told when the turn is stopped, and the call ends at once', async () => {
    const fixture = new McpFixture({});
    const notes = path.join(fixture.folder, 'notes');
    fixture.configure({ it: scripted({ notes }) });
    const servers = await fixture.meet();
    const made = call(toolOf(servers, 'it__silent'));
    await until(() => noted(notes, 'silent began'));
    const reason = new Error('stopped by the person');
    made.stop(reason);
    expect(await failure(made.result)).toBe(reason);
    await until(() => noted(notes, 'silent was cancelled'));
  });

  it('may answer when nobody listens any more', async () => {
    const fixture = new McpFixture({});
    const notes = path.join(fixture.folder, 'notes');
    fixture.configure({ it: scripted({ notes }) });
    const servers = await fixture.meet();
    const made = call(toolOf(servers, 'it__late'));
    await until(() => noted(notes, 'late began'));
    made.stop();
    await failure(made.result);
    await until(() => noted(notes, 'late answered'));
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');
  });

  it('is shown to be working when it reports progress', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    const steps = call(toolOf(servers, 'it__steps'));
    expect((await steps.result).text).toBe('stepped');
    expect(steps.shown[0]).toEqual({ text: 'step 1', fraction: 0.25 });
  });

  it('leaves most of the time to others, however much progress it reports', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    const began = performance.now();
    const flood = call(toolOf(servers, 'it__flood'));
    const busy = process.cpuUsage();
    expect((await flood.result).text).toBe('flooded');
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(busy);
    expect((user + system) / 1e6 / seconds).toBeLessThan(0.9);
    expect(flood.shown.length).toBeLessThan(seconds * 20 + 3);
    expect(flood.shown.at(-1)!.fraction).toBeGreaterThan(0.9);
  });
});

describe('a server that says too much', () => {
  it('is ended when a message is larger than any should be', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    for (const tool of ['it__huge', 'it__endless-line']) {
      const error = await failure(call(toolOf(servers, tool)).result);
      expect(error.message).toContain('A line of output is longer than 8000000 bytes.');
    }
    expect((await call(toolOf(servers, 'it__hello'), name).result).text).toBe('Hello Ada.');
  });

  it('and never listens is ended before that fills our memory', async () => {
    const fixture = new McpFixture({ deaf: { command: process.execPath, args: ['-e', NEVER_LISTENS] } });
    const servers = await fixture.meet();
    expect(servers.list()[0]).toMatchObject({ state: 'failed', error: 'It does not read its input.' });
    expect(running(fixture)).toBe(0);
  });

  it('is taken at its word only so far', async () => {
    const servers = await new McpFixture({ it: scripted({ many: 600, hello: 'x'.repeat(70_000) }) }).meet();
    expect(servers.tools()).toHaveLength(500);
    const { state, error } = servers.list()[0]!;
    expect(`${state}: ${error}`).toBe(
      'ready: hello was skipped: its description is larger than 64000 bytes. ' +
        'It offers too many tools; only 500 are used.',
    );
  });

  it('is understood among noise, and does not fill the log', async () => {
    const fixture = new McpFixture({ it: scripted() });
    const servers = await fixture.meet();
    expect((await call(toolOf(servers, 'it__noise')).result).text).toBe('quiet again');
    expect(fixture.reports.length).toBeLessThanOrEqual(5);
    expect(fixture.reports.join()).not.toContain('listening on port');
  });
});

describe('results', () => {
  it('are text; errors are passed on as such, pictures are named', async () => {
    const servers = await new McpFixture({ it: scripted() }).meet();
    expect(await call(toolOf(servers, 'it__refuse')).result).toEqual({ text: 'It did not work.', isError: true });
    expect((await call(toolOf(servers, 'it__pictures')).result).text.split('\n\n')).toEqual([
      'Look:',
      '[image, image/png, 7 bytes]',
      '[resource note://1]\na note',
      '[resource blob://1, application/zip, 3 bytes]',
      '[resource x: file:///x]',
    ]);
  });
});

describe('what a server is given', () => {
  it('is the little it needs, and what its configuration names', async () => {
    const environment = {
      PATH: process.env.PATH,
      HOME: '/home/ada',
      OPENAI_API_KEY: 'sk-secret',
      NODE_OPTIONS: '--no-warnings',
      TOKEN: 'token-1',
    };
    const fixture = new McpFixture({ it: scripted({}, { env: { MY_TOKEN: 'Bearer ${TOKEN}' } }) });
    const servers = await fixture.meet({ environment });
    const seen = JSON.parse((await call(toolOf(servers, 'it__environment')).result).text);
    expect(seen).toMatchObject({ MY_TOKEN: 'Bearer token-1', HOME: '/home/ada' });
    for (const name of ['OPENAI_API_KEY', 'NODE_OPTIONS', 'TOKEN']) expect(seen).not.toHaveProperty(name);
    expect(JSON.stringify(servers.list())).not.toContain('token-1');
  });
});

describe('the configuration', () => {
  it('is followed: who was changed or removed is stopped, nobody else', async () => {
    const fixture = new McpFixture({ stays: scripted(), changes: scripted(), goes: scripted() });
    const servers = await fixture.meet();
    const gone = toolOf(servers, 'goes__hello');
    fixture.configure({ stays: scripted(), changes: scripted({}, { timeoutMs: 5000 }) });
    expect(servers.tools().map((tool) => tool.source.id)).not.toContain('goes');
    expect(servers.list().map(({ name, state }) => `${name} ${state}`)).toEqual(['stays ready', 'changes idle']);
    await until(() => running(fixture) === 1);
    expect(await failure(call(gone, name).result)).toMatchObject({ code: 'mcp_server_failed' });
    expect((await call(toolOf(servers, 'changes__hello'), name).result).text).toBe('Hello Ada.');
  });

  it('decides who sees the tools, and whether a claim to be harmless is believed', async () => {
    const trusted = scripted({}, { approval: 'allow', agents: ['wisp/*'] });
    const servers = await new McpFixture({ trusted, other: scripted() }).meet();
    expect(toolOf(servers, 'trusted__hello')).toMatchObject({ risk: 'read', agents: ['wisp/*'] });
    expect(toolOf(servers, 'trusted__die').risk).toBe('execute');
    expect(toolOf(servers, 'other__hello').risk).toBe('execute');
    expect(toolOf(servers, 'other__hello').agents).toBeUndefined();
  });
});

describe('the end', () => {
  it('leaves nothing running', async () => {
    const fixture = new McpFixture({ a: scripted(), b: scripted() });
    const servers = await fixture.meet();
    const made = call(toolOf(servers, 'a__silent'));
    const marks = readdirSync(path.join(fixture.folder, 'processes'));
    expect(marks).toHaveLength(2);
    await servers.stop();
    expect(await failure(made.result)).toMatchObject({ code: 'mcp_server_failed' });
    expect(running(fixture)).toBe(0);
    for (const mark of marks) expect(await findMarked({ variable: 'PARLEY_PROCESS', value: mark })).toEqual([]);
    expect(servers.list().map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    expect(await failure(call(toolOf(servers, 'a__hello'), name).result)).toMatchObject({ code: 'mcp_server_failed' });
  });

  it('comes at once, also for a server that is just being started', async () => {
    const fixture = new McpFixture({ deaf });
    const servers = await fixture.open();
    const meeting = servers.ensureKnown();
    await until(() => running(fixture) === 1);
    await servers.stop();
    await meeting;
    expect(running(fixture)).toBe(0);
  });
});

/** Greets, and from then on only asks. Every answer repeats what it was asked under. */
const NEVER_LISTENS = `
  process.stdin.once('data', (line) => {
    process.stdin.pause();
    const { id, params } = JSON.parse(line);
    const serverInfo = { name: 'deaf', version: '1' };
    const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    const ask = (count) => {
      const ping = { jsonrpc: '2.0', id: count + 'x'.repeat(200_000), method: 'ping' };
      process.stdout.write(JSON.stringify(ping) + '\\n', () => ask(count + 1));
    };
    ask(0);
  });
`;

function noted(file: string, line: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(line);
}

/** As many as the registry knows of. */
function running(fixture: McpFixture): number {
  const folder = path.join(fixture.folder, 'processes');
  return existsSync(folder) ? readdirSync(folder).length : 0;
}
