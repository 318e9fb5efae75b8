import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpAgent } from '../agents/acp/fixture.ts';
import { scriptedDefinition } from '../agents/cli/scripted/open.ts';
import { Parley, until } from '../harness/parley.ts';

/** What no program may be given, or obey. */
const NEVER = {
  PARLEY_TOKEN: `token-of-the-person-${'x'.repeat(30)}`,
  DATABASE_PASSWORD: 'secret-of-the-database',
  NODE_OPTIONS: '--no-warnings',
  LD_LIBRARY_PATH: '/nowhere/libraries',
  BASH_ENV: '/nowhere/bash-env',
  GIT_SSH_COMMAND: '/nowhere/ssh',
};
/** Each of these is for some of the programs. */
const KEYS = {
  ANTHROPIC_API_KEY: 'sk-secret-of-anthropic',
  OPENAI_API_KEY: 'sk-secret-of-openai',
  GROQ_API_KEY: 'sk-secret-of-groq',
};
const GIVEN: Record<string, (keyof typeof KEYS)[]> = {
  claude: ['ANTHROPIC_API_KEY'],
  codex: ['OPENAI_API_KEY'],
  pi: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GROQ_API_KEY'],
  ann: ['GROQ_API_KEY'],
};

let home: string;
let parley: Parley;

beforeAll(async () => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-home-')));
  const cli = (['claude', 'codex', 'pi'] as const).map((agentId) => ({
    ...{ agentId, approvals: { '*': 'allow' }, toolAllowlist: ['todo_*'] },
    ...scriptedDefinition(agentId, home),
  }));
  const acp = { env: { GROQ_API_KEY: '${GROQ_API_KEY}' } };
  const ann = acpAgent('ann', path.join(home, 'memory'), [], { acp, approvals: { '*': 'allow' } });
  parley = await Parley.start({ config: { agents: [...cli, ann] }, env: { HOME: home, ...NEVER, ...KEYS } });
});
afterAll(async () => {
  await parley.close();
  rmSync(home, { recursive: true, force: true });
});

/** What a command prints that the program of an agent runs. */
async function printed(agentId: string, command: string): Promise<string> {
  const { id } = await parley.createSession({ agentId });
  const words = agentId === 'ann' ? `exec ${command}` : `RUN ${command}`;
  const { answer } = await parley.say(id, { content: words });
  return answer?.text ?? '';
}

describe.each(Object.entries(GIVEN))('the program of %s', (agentId, keys) => {
  it('is given the keys that it needs, and nothing else of what the server knows', async () => {
    const variables = await printed(agentId, 'env');
    expect(variables).toMatch(/^.*PARLEY_PROCESS=/m);
    for (const secret of Object.values(NEVER)) expect(variables).not.toContain(secret);
    const given = Object.entries(KEYS).filter(([, value]) => variables.includes(value));
    expect(given.map(([name]) => name).sort()).toEqual([...keys].sort());
    expect(variables).not.toMatch(/parley-turn-|PARLEY_TURN_TOKEN/);
  });

  it('is told neither the message nor the token of the turn on its command line', async () => {
    const line = await printed(agentId, "tr '\\0' '\\n' < /proc/$PPID/cmdline # only-in-the-message");
    expect(line).toMatch(/program\.ts|scripted\//);
    expect(line).not.toMatch(/parley-turn-|only-in-the-message/);
  });

  it('runs in a process group of its own, which is gone with the server', async () => {
    const pids = await printed(agentId, "ps -o pgid= -p $PPID | tr -d ' '");
    const group = Number(/\d+/.exec(pids)?.[0]);
    expect(group).not.toBe(parley.pid);
    expect(isAlive(-group)).toBe(true);
    await parley.restart();
    await until(
      async () => isAlive(-group),
      (alive) => !alive,
    );
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
