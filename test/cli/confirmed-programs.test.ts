import { expect, test } from 'vitest';
import { makeHome, parley, serve } from './parley.ts';

test('an agent that starts a program is made only after the person was shown all that it may do', async () => {
  const home = makeHome();
  await serve(home);
  const definition = {
    agentId: 'made',
    type: 'acp',
    acp: { command: '/bin/some', args: ['--evil \u202e'] },
    workspace: { folder: '/srv' },
    approvals: { '*': 'allow' },
  };
  const create = (...more: string[]) =>
    parley(home, ['agents', 'create', '-f', '-', ...more], { input: JSON.stringify(definition) });
  const shown = ["  /bin/some $'--evil \\U0000202e'", '  Works in /srv', "  Approvals: allows '*' without asking"].join(
    '\n',
  );

  const unasked = await create();
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining(shown) });
  expect(unasked.stderr).toContain('use --yes');
  expect((await parley(home, ['agents', 'show', 'made'])).code).not.toBe(0);
  expect(await create('--yes')).toMatchObject({ code: 0, stderr: expect.stringContaining(shown) });

  const update = (...more: string[]) =>
    parley(home, ['agents', 'update', 'made', '-f', '-', ...more], { input: '{"acp":{"mode":"yolo"}}' });
  expect(await update()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${shown.split('\n')[0]}\n  Mode: yolo`),
  });
  expect(await update('-y')).toMatchObject({ code: 0, stdout: 'Updated made.\n' });
}, 60_000);
