import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley } from '../../harness/parley.ts';
import { newFolder } from './bench.ts';

const NAMES = ['claude', 'codex', 'pi'];
let folder: string;
let parley: Parley;

beforeAll(async () => {
  folder = newFolder('dead-programs');
  const command = path.join(folder, 'dead');
  writeFileSync(command, '#!/bin/sh\nexec <&-\necho "It is out of order." >&2\nexit 3\n');
  chmodSync(command, 0o755);
  const chats = NAMES.map((name) => ({ agentId: name, chat: { provider: `${name}-cli`, cli: { command } } }));
  const acp = { agentId: 'acp', type: 'acp', acp: { command } };
  parley = await Parley.start({ config: { agents: [...chats, acp] }, env: { HOME: folder } });
});
afterAll(async () => {
  await parley.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each([...NAMES, 'acp'])(
  'a program that is out of order costs each turn of %s, and never the server',
  async (agentId) => {
    const turns = Array.from({ length: 6 }, async () => {
      const { id } = await parley.createSession({ agentId });
      return (await parley.say(id, { content: 'Good morning.' })).turn;
    });
    for (const turn of await Promise.all(turns)) {
      expect(turn).toMatchObject({ state: 'failed', error: { code: 'program_failed' } });
      expect(turn.error!.message).toContain('It is out of order.');
    }
  },
);
