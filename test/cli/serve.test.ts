import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collect, launch, makeHome, parley, serve, until } from './parley.ts';
import { hasPython, Person } from './person.ts';

describe('serve', () => {
  test('prints one line with its address once it accepts requests, and nothing else on stdout', async () => {
    const home = makeHome();
    const child = launch(home, ['serve', '--port', '0']);
    const stdout = collect(child.stdout);
    await until(() => stdout.text.includes('\n'), 'the line');
    expect(stdout.text).toMatch(/^Parley is listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    const url = stdout.text.trim().split(' ').at(-1)!;
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
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

  test('a program that answers in place of a server that runs gets no token, and it is said why', async () => {
    const home = makeHome();
    await serve(home);
    const announced = JSON.parse(readFileSync(path.join(home, 'server.json'), 'utf8'));
    const seen: unknown[] = [];
    // It passes the challenge on to the real server, which answers for its own port only.
    const between = createServer(async (request, response) => {
      seen.push(request.headers.authorization);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const answer = await fetch(announced.url + request.url, {
        method: request.method!,
        headers: { 'Content-Type': 'application/json' },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void between.close());
    const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const token = readFileSync(path.join(home, 'token'), 'utf8').trim();
    writeFileSync(path.join(home, 'server.json'), JSON.stringify({ ...announced, url }));
    const environments: Record<string, string>[] = [{}, { PARLEY_URL: url, PARLEY_TOKEN: token }];
    for (const env of environments) {
      const { code, stderr } = await parley(home, ['agents'], { env });
      expect(stderr).toMatch(/^Error: The server at \S+ could not prove that it knows your token, so .+ not sent\./);
      expect(code).toBe(1);
    }
    expect(seen).toEqual([undefined, undefined]);
  });

  test.each([
    ['a page', 200, '<!doctype html><title>My router</title>'],
    ['a page that is not there', 404, '<h1>Not found</h1>'],
    ['an object', 200, '{"hello":"world"}'],
    ['nothing', 200, 'null'],
  ])('a program of another kind that answers with %s is named in one sentence', async (_, status, body) => {
    const other = createServer((_request, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const PARLEY_URL = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const withToken = { PARLEY_URL, PARLEY_TOKEN: 'a-token-of-my-own-that-is-long-enough' };
    for (const env of [{ PARLEY_URL }, withToken] as Record<string, string>[]) {
      const { code, stdout, stderr } = await parley('/nonexistent', ['agents'], { env });
      expect(stderr).toBe(`Error: The program at ${PARLEY_URL} is not a Parley server. Check PARLEY_URL.\n`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    }
    const ofTurn = { PARLEY_URL, PARLEY_TURN_TOKEN: 'x' };
    const { code, stderr } = await parley('/nonexistent', ['tool', 'todo', 'list'], { env: ofTurn });
    expect(stderr).toMatch(/^Error: .+\n$/);
    expect(code).toBe(1);
  });

  test('sign-ins lists signed-in browsers and ends one', async () => {
    const home = makeHome();
    const { url } = await serve(home);
    expect((await parley(home, ['sign-ins'])).stdout).toMatch(/^No browser is signed in/);
    const code = (await parley(home, ['open', '--print'])).stdout.trim().split('#code=')[1];
    const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Firefox/140.0 (Macintosh; Mac OS X)' };
    await fetch(`${url}/api/sign-ins`, { method: 'POST', headers, body: JSON.stringify({ code }) });
    const [signIn] = JSON.parse((await parley(home, ['sign-ins', '--json'])).stdout);
    expect((await parley(home, ['sign-ins'])).stdout).toMatch(new RegExp(`Firefox on macOS .* ${signIn.id}`));
    expect((await parley(home, ['sign-ins', '--end', signIn.id])).stdout).toBe('Firefox on macOS was signed out.\n');
    expect((await parley(home, ['sign-ins', '--end', signIn.id])).code).toBe(1);
  });

  test('a second one on the same folder refuses', async () => {
    const home = makeHome();
    await serve(home);
    const { code, stdout, stderr } = await parley(home, ['serve', '--port', '0']);
    expect(stderr).toMatch(/^Error: Another Parley server is using .+\n$/);
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
      'Must be a number from 0 to 65535.',
    );
    expect((await parley(makeHome(), ['serve', '--host', '0.0.0.0'])).stderr).toMatch(/^Error: Refusing to listen/);
  });

  test('a bad configuration is said place by place', async () => {
    const home = makeHome();
    writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ servr: {}, limits: { turnMs: 'long' } }));
    const { code, stderr } = await parley(home, ['serve', '--port', '0']);
    expect(stderr).toContain('servr');
    expect(stderr).toContain('limits.turnMs');
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
    expect(stderr).toMatch(/^Error: .*newer version of Parley.*\n$/);
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
    expect((await signIn()).status).toBe(201);
    expect((await signIn()).status).toBe(401);
  });

  test.skipIf(!hasPython)('open shows the code to no other user: the browser is given a private file', async () => {
    const home = makeHome();
    await serve(home);
    const opened = path.join(home, 'opened');
    writeFileSync(
      path.join(home, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$*" > ${opened}.new; mv ${opened}.new ${opened}\n`,
      {
        mode: 0o700,
      },
    );
    const more = { DISPLAY: ':0', PARLEY_NO_OPEN: '', PATH: `${home}:${process.env.PATH}` };
    const person = new Person(home, ['open'], more);
    await person.sees('#code=');
    await until(() => existsSync(opened), 'the browser');
    expect(await person.exitCode).toBe(0);
    const page = readFileSync(opened, 'utf8');
    expect(page).toBe(path.join(home, 'sign-in.html'));
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readFileSync(page, 'utf8')).toContain('#code=');
  });

  test('the announcement is for its owner alone', async () => {
    const home = makeHome();
    const { url } = await serve(home);
    const file = path.join(home, 'server.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).url).toBe(url);
  });
});
