import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect, ended, launch, makeHome, parley, serve, until } from './parley.ts';

const chat = { provider: 'demo', model: 'demo-fast' };

/** A home in which `op` may run commands, and `boss` has somebody to hand work to. */
function makeWorkplace(): string {
  const home = makeHome({
    op: { chat, toolExposure: 'mixed' },
    boss: { chat, toolDenylist: ['agents_message'] },
    kid: { chat, parentAgentId: 'boss' },
  });
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ tools: { bash: { agents: ['op'] } } }));
  return home;
}

describe('against a real server', () => {
  test('a tool is used by a person and by an agent, and both see the same list', async () => {
    const home = makeWorkplace();
    await serve(home);
    const added = await parley(home, ['tool', 'todo', 'add', '--title', 'oat milk', '--tags', '2026']);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('oat milk') });
    const { stdout, stderr } = await parley(home, ['chat', '-a', 'kid', '-m', 'use todo_list with status=open']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^⚙ todo_list status=open ✓ \d+ ms\nkid: .*oat milk/);
    const wrong = await parley(home, ['tool', 'todo', 'add', '--title', 'x', '--due', 'soon']);
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('due') });
    expect((await parley(home, ['explain', 'op', 'bash'])).stdout).toContain('full authority');
    expect((await parley(home, ['usage', '--by', 'agent'])).stdout).toMatch(/kid +1 /);
  });

  test('whoever is mentioned answers, in order, and a delegate answers under its own name', async () => {
    const home = makeWorkplace();
    await serve(home);
    const both = await parley(home, ['chat', '-a', 'boss', '-s', 'two', '-m', '@boss @kid count to 3']);
    expect(both).toMatchObject({ code: 0, stdout: 'boss: 1 2 3\nkid (guest): 1 2 3\n' });
    const { stdout } = await parley(home, ['chat', '-a', 'boss', '-m', 'ask the kid to count to 3']);
    expect(stdout).toMatch(/^boss: .*\n→ Delegating to kid — count to 3\nkid: 1 2 3\nboss: .*\n$/);
    const tree = await parley(home, ['tree']);
    expect(tree.stdout).toMatch(/^✓ boss \S+ \(complete.*\n└─ ✓ kid \S+ \(complete.*\) — count to 3\n$/);
    expect((await parley(home, ['retry'])).stdout).toContain('→ Delegating to kid — count to 3');
  });

  test('what an agent wants to run waits for the person, who may allow it for the session', async () => {
    const home = makeWorkplace();
    await serve(home);
    const ask = [
      'chat',
      '-a',
      'op',
      '-m',
      'use bash with command="parley tool todo add --title bread; parley approve"',
    ];
    const child = launch(home, ask);
    const stderr = collect(child.stderr);
    const done = ended(child);
    await until(() => stderr.text.includes('parley deny'), 'the question');
    expect((await parley(home, ['sessions'])).stdout).toMatch(/default +op +waiting/);
    expect((await parley(home, ['approve', '--session'])).stdout).toContain('Allowed in this session');
    const { stdout, code } = await done;
    // What it started used a tool in its name, and could approve nothing.
    expect(stdout).toContain('⚙ todo_add title=bread ✓');
    expect(stdout).toContain("Agents can't run this command");
    expect(code).toBe(0);
    expect((await parley(home, ['grants'])).stdout).toMatch(/op +bash/);
    expect((await parley(home, ['chat', '-a', 'op', '-m', 'use bash with command="echo again"'])).code).toBe(0);
    const grant = JSON.parse((await parley(home, ['grants', '--json'])).stdout)[0];
    expect((await parley(home, ['grants', '--revoke', grant.id])).code).toBe(0);
    const denied = await parley(home, ['chat', '-a', 'op', '--no-wait', '-m', 'use bash with command="echo no"']);
    expect(denied.code).toBe(3);
    expect((await parley(home, ['deny', '--reason', 'not today'])).stdout).toContain('Denied');
    await until(
      async () => (await parley(home, ['sessions', 'show', 'default'])).stdout.includes('not today'),
      'its end',
    );
  });

  test('a question is answered', async () => {
    const home = makeWorkplace();
    await serve(home);
    const done = ended(launch(home, ['chat', '-a', 'op', '-m', 'ask me which colour I like']));
    await until(async () => (await parley(home, ['actions'])).stdout.includes('parley answer'), 'the question');
    expect((await parley(home, ['answer', 'blue'])).stdout).toBe('Answered op.\n');
    expect((await done).stdout).toContain('op: You said: blue');
  });
});
