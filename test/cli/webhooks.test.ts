import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CreatedIncomingWebhook } from '../../contract/webhooks.ts';
import { type ReceivedCall, signedHeaders, WebhookTarget } from '../harness/webhook-target.ts';
import { makeHome, parley, serve } from './parley.ts';

let home: string;

/** A server whose webhooks may call a target on this machine. */
async function open(): Promise<{ url: string; target: WebhookTarget }> {
  const target = await WebhookTarget.start();
  onTestFinished(() => target.close());
  home = makeHome();
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ tools: { fetch: { allowHosts: [target.host] } } }));
  return { target, url: (await serve(home)).url };
}

const run = async (...args: string[]) => {
  const result = await parley(home, args);
  expect(result).toMatchObject({ code: 0 });
  return result.stdout;
};

describe('webhooks', () => {
  test('out: created with a secret, tested, told, paused, changed and deleted', async () => {
    const { target } = await open();
    expect(await run('webhooks')).toContain('No webhooks yet.');
    const created = await run(
      'webhooks',
      'out',
      'create',
      'ci',
      '--url',
      target.url,
      '--on',
      'session.created',
      'turn.settled',
    );
    expect(created).toMatch(/^Created "ci"\.\nwhsec_\S+\n$/);
    expect(await run('webhooks', 'out', 'test', 'CI')).toMatch(/^Delivered: HTTP 204/);
    await run('chat', '-a', 'wisp/concierge', '-m', 'hello there');
    expect(await run('webhooks', 'out', 'deliveries', 'ci')).toMatch(
      /turn\.settled[\s\S]*session\.created[\s\S]*webhook\.test/,
    );
    await run('webhooks', 'out', 'update', 'ci', '--no-texts', '-a', 'wisp/concierge', '--name', 'build');
    await run('webhooks', 'out', 'pause', 'build');
    expect(await run('webhooks', 'out', 'show', 'build')).toMatch(/paused · .* · wisp\/concierge · without texts/);
    await run('webhooks', 'out', 'resume', 'build');
    target.replies = [500];
    const failed = await parley(home, ['webhooks', 'out', 'test', 'build']);
    expect([failed.code, failed.stderr]).toEqual([1, 'Error: Not delivered: HTTP 500\n']);
    expect(await run('webhooks', 'out', 'delete', 'build', '--yes')).toBe('Deleted "build".\n');
  });

  test('in: created with an address and a secret, its requests become messages under its name', async () => {
    const { url } = await open();
    const created = await run(
      'webhooks',
      'in',
      'create',
      'alerts',
      '-a',
      'wisp/concierge',
      '--template',
      'Alert: {{what}}',
    );
    const [, address, secret] = /requests at (\/api\/hooks\/[\w-]+) of this server.*\n(whsec_\S+)\n$/s.exec(created)!;
    const body = '{"what":"disk full"}';
    const answer = await fetch(url + address, { method: 'POST', body, headers: signedHeaders(secret!, body, 'one') });
    expect(answer.status).toBe(202);
    expect(await run('webhooks', 'in', 'calls', 'alerts')).toMatch(/one\s+accepted/);
    const [{ sessionId }] = JSON.parse(await run('webhooks', 'in', 'calls', 'alerts', '--json')) as [
      { sessionId: string },
    ];
    expect(await run('sessions', 'show', sessionId)).toContain('Webhook "alerts": Alert: disk full');
    expect(await run('webhooks')).toMatch(/in\s+alerts/);
    expect(await run('webhooks', 'in', 'delete', 'alerts', '--yes')).toBe('Deleted "alerts".\n');
  });
});

/** The shell commands of a page of the documentation, as they are written there. */
function snippets(page: string): string[] {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8');
  return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, commands]) => commands!);
}

describe('the commands of docs/webhooks.md', () => {
  const [verify = '', send = ''] = snippets('webhooks.md');
  const shell = async (commands: string, env: Record<string, string>) =>
    (await promisify(execFile)('bash', ['-euc', commands], { env: { ...process.env, ...env } })).stdout;

  test('work out the signature of a delivery', async () => {
    const { target } = await open();
    const created = await run('webhooks', 'out', 'create', 'ci', '--url', target.url, '--on', 'turn.settled');
    await run('webhooks', 'out', 'test', 'ci');
    const [{ headers, raw }] = target.received as [ReceivedCall];
    const said = { ID: String(headers['webhook-id']), TIMESTAMP: String(headers['webhook-timestamp']), BODY: raw };
    const SECRET = /whsec_\S+/.exec(created)![0];
    const expected = await shell(`${verify}\nprintf %s "$expected"`, { ...said, SECRET });
    expect(expected).toBe(headers['webhook-signature']);
  });

  test('send a signed request', async () => {
    const { url } = await open();
    const created = await run('webhooks', 'in', 'create', 'alerts', '-a', 'wisp/concierge', '--json');
    const { webhook, secret } = JSON.parse(created) as CreatedIncomingWebhook;
    const answer = await shell(send, { SECRET: secret, ADDRESS: url + webhook.path });
    expect(JSON.parse(answer)).toMatchObject({ duplicate: false });
    expect(await run('webhooks', 'in', 'calls', 'alerts')).toMatch(/msg_\w+\s+accepted/);
  });
});

test('memory: added, found, changed with its history, deleted and restored', async () => {
  await open();
  const added = await run(
    'memory',
    'add',
    'wisp/concierge',
    'The deploy day is Thursday.',
    '--topic',
    'work',
    '--tag',
    'deploy',
  );
  const id = /as (\w+)\./.exec(added)![1]!;
  expect(await run('memory', 'list', 'wisp/concierge')).toContain('The deploy day is Thursday.');
  expect(await run('memory', 'list', '-q', 'nothing like it')).toBe('Nothing is remembered.\n');
  await run('memory', 'update', id, '--text', 'The deploy day is Friday.');
  const shown = await run('memory', 'show', id);
  expect(shown).toContain('Added by you.');
  expect(shown).toMatch(/2\. changed by you .*Friday[\s\S]*1\. created by you .*Thursday/);
  const exported = await run('memory', 'export');
  expect(await run('memory', 'delete', id)).toContain(`parley memory restore ${id}`);
  expect(await run('memory')).toBe('Nothing is remembered.\n');
  expect(await run('memory', 'restore', id)).toBe(`wisp/concierge remembers ${id} again.\n`);
  expect(JSON.parse(exported)).toMatchObject({ memories: [{ text: 'The deploy day is Friday.', topic: 'work' }] });
});
