import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { collect, launch, makeHome, parley, putAgent, serve, until } from './parley.ts';

describe('serve', () => {
  test('prints one line with its address once it accepts requests, and nothing else on stdout', async () => {
    const home = makeHome();
    const child = launch(home, ['serve', '--port', '0']);
    const stdout = collect(child.stdout);
    await until(() => stdout.text.includes('\n'), 'the line');
    expect(stdout.text).toMatch(/^Parley is listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    const url = stdout.text.trim().split(' ').at(-1)!;
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', name: 'parley' });
    expect(statSync(path.join(home, 'token')).mode & 0o777).toBe(0o600);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s stops it with exit code 0 and takes its address back',
    async (signal) => {
      const home = makeHome();
      const { child } = await serve(home);
      const code = new Promise((resolve) => child.on('exit', resolve));
      child.kill(signal);
      expect(await code).toBe(0);
      expect(existsSync(path.join(home, 'server.json'))).toBe(false);
    },
  );

  test('takes the port and the credential from the environment', async () => {
    const home = makeHome();
    const child = launch(home, ['serve'], {
      env: { PARLEY_PORT: '0', PARLEY_TOKEN: 'a-token-of-my-own-that-is-long-enough' },
    });
    const stdout = collect(child.stdout);
    await until(() => stdout.text.includes('\n'), 'the line');
    expect((await parley(home, ['sessions'])).stderr).toContain('PARLEY_TOKEN');
    const env = { PARLEY_TOKEN: 'a-token-of-my-own-that-is-long-enough' };
    expect((await parley(home, ['sessions'], { env })).code).toBe(0);
  });

  test('a second one on the same folder refuses', async () => {
    const home = makeHome();
    await serve(home);
    const { code, stdout, stderr } = await parley(home, ['serve', '--port', '0']);
    expect(stderr).toMatch(/^Error: Another Parley is using .+\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  test('a port that is in use, one that is none, and an address of another machine are said plainly', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const inUse = await parley(makeHome(), ['serve', '--port', String(port)]);
    other.close();
    expect(inUse).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(`^Error: Port ${port} is in use`),
    });
    expect((await parley(makeHome(), ['serve', '--port', 'many'])).stderr).toContain(
      'It must be a number from 0 to 65535.',
    );
    expect((await parley(makeHome(), ['serve', '--host', '0.0.0.0'])).stderr).toMatch(/^Error: Refusing to listen/);
  });

  test('a bad configuration is said place by place', async () => {
    const home = makeHome();
    putAgent(home, 'broken', { colour: 'red' });
    const { code, stderr } = await parley(home, ['serve', '--port', '0']);
    expect(stderr).toContain('agents/broken.json');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  });

  test('data of a newer version is refused in one line, and left alone', async () => {
    const home = makeHome();
    await (await serve(home)).stop();
    const db = new DatabaseSync(path.join(home, 'parley.db'));
    db.exec('INSERT INTO schema_version VALUES (9999)');
    db.close();
    const { code, stderr } = await parley(home, ['serve', '--port', '0']);
    expect(stderr).toMatch(/^Error: .*newer Parley.*\n$/);
    expect(code).toBe(1);
  });

  test('open prints a link that signs a browser in once', async () => {
    const home = makeHome();
    expect((await parley(home, ['open'])).stderr).toBe('Error: No server is running. Start one with: parley serve\n');
    const { url } = await serve(home);
    const link = (await parley(home, ['open'])).stdout.trim();
    expect(link).toMatch(/#code=\S+$/);
    const signIn = () =>
      fetch(`${url}/api/sign-ins`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ code: link.split('#code=')[1] }),
      });
    expect((await signIn()).status).toBe(204);
    expect((await signIn()).status).toBe(401);
  });

  test('the announcement is for its owner alone', async () => {
    const home = makeHome();
    const { url } = await serve(home);
    const file = path.join(home, 'server.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).url).toBe(url);
  });
});
