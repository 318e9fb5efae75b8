import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../contract/errors.ts';
import { scriptedConfig } from '../harness/agents.ts';
import { checkPromises } from '../harness/checker.ts';
import { type Answer, Parley, until } from '../harness/parley.ts';
import { AGENTS, answerTo, Fixture, scriptFor } from './fixture.ts';

const SMALL = { storage: { maxBytes: 1_000_000 } };
const filler = (index: number, size = 2500) => `filler ${index} ${'lorem ipsum dolor '.repeat(size)}`;
const LONG = Array.from({ length: 60 }, (_, index) => `${index} ${'so on and on '.repeat(30)}`);

function expected(said: string): string {
  if (said.startsWith('filler')) return 'ok';
  return said === 'long' ? LONG.join('') : answerTo(said);
}

/** Ever shorter messages, until the server has no room for anything. */
async function fill(fixture: Fixture, sessionId = 'filler'): Promise<Answer<Problem>> {
  await fixture.session(AGENTS[1], { id: sessionId });
  let size = 2500;
  for (let index = 0; index < 400; index++) {
    const answer = await fixture.ledger.send(fixture.parley, sessionId, { content: filler(index, size) });
    if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, 50));
    else if (answer.status !== 202 && size === 0) return answer as unknown as Answer<Problem>;
    else if (answer.status !== 202) size = Math.floor(size / 4);
  }
  throw new Error('the disk never filled up');
}

async function open(config: object = SMALL, delayMs = 25): Promise<Fixture> {
  const fixture = await Fixture.open({ config, delayMs });
  fixture.ledger.expectedAnswer = expected;
  fixture.provider.script(({ said }) => {
    if (said === 'long')
      return {
        steps: LONG.flatMap((text) => [
          { kind: 'text', text },
          { kind: 'wait', ms: 100 },
        ]),
      };
    const brief = said.startsWith('filler') || said.includes('Write the summary');
    return brief ? { steps: [{ kind: 'text', text: 'ok' }] } : scriptFor(said, fixture.delayMs);
  });
  return fixture;
}

async function readsGoOn(fixture: Fixture, sessionId: string): Promise<void> {
  const base = `/api/sessions/${sessionId}`;
  const routes = ['/health', '/api/sessions', base, `${base}/messages`, `${base}/turns`, `${base}/queue`];
  routes.push('/api/search?q=slow', `${base}/export`, `${base}/export?format=markdown`, '/api/audit', '/api/agents');
  for (const route of routes)
    expect([route, (await fixture.parley.request('GET', route)).status]).toEqual([route, 200]);
}

describe('a full disk', { timeout: 60_000 }, () => {
  it('P1, P12: refuses with 507, reads go on, and goes on without a restart once a session is deleted', async () => {
    const fixture = await open();
    try {
      const { id } = await fixture.session();
      const slow = await fixture.send(id, { content: 'slow' });
      const refused = await fill(fixture);
      expect(refused.status).toBe(507);
      expect(refused.body).toMatchObject({ code: 'storage_full', requestId: expect.any(String) });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      await readsGoOn(fixture, id);
      fixture.ledger.doubt('filler');
      const deleted = await fixture.parley.request('DELETE', '/api/sessions/filler');
      expect([deleted.status, deleted.body]).toEqual([204, '']);
      fixture.ledger.deleted('filler');
      await until(
        () => fixture.parley.turn(slow.turn.id),
        (turn) => turn.state === 'complete',
        15_000,
      );
      await fixture.say(id, { content: 'and on' });
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });

  it('a running turn waits for room to settle, and a raised limit makes it', async () => {
    const fixture = await open();
    try {
      const { id } = await fixture.session();
      const slow = await fixture.send(id, { content: 'slow' });
      await fill(fixture);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const config = scriptedConfig(fixture.provider.url, AGENTS, { storage: { maxBytes: 8_000_000 } });
      writeFileSync(path.join(fixture.parley.home, 'parley.json'), JSON.stringify(config));
      await until(
        () => fixture.parley.turn(slow.turn.id),
        (turn) => turn.state === 'complete',
        15_000,
      );
      const again = () => fixture.ledger.send(fixture.parley, id, { id: 'again', content: 'room again' });
      await until(again, (answer) => answer.status === 202, 15_000);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });

  it('P7: words that could not be flushed meanwhile leave no hole when the server is killed later', async () => {
    const fixture = await open(SMALL, 100);
    try {
      const { id } = await fixture.session();
      await fixture.send(id, { content: 'long' });
      await fill(fixture);
      await until(
        async () => fixture.parley.stderr,
        (text) => text.includes('partial output could not be stored'),
      );
      fixture.ledger.deleted('filler');
      await fixture.parley.ok('DELETE', '/api/sessions/filler');
      await new Promise((resolve) => setTimeout(resolve, 700));
      await fixture.parley.kill();
      await fixture.parley.restart();
      await checkPromises(fixture.parley, fixture.ledger);
      const [, answer] = await fixture.parley.messages(id);
      expect(answer).toMatchObject({ status: 'interrupted' });
    } finally {
      await fixture.close();
    }
  });
});

describe('a file system without space (ENOSPC)', { timeout: 60_000 }, () => {
  it('P1: refuses with 507, reads go on, recovers when space is back', async ({ skip }) => {
    const mounted = mountTiny();
    if (mounted === null) return skip('only root may mount a file system');
    const home = path.join(mounted, 'home');
    const ballast = path.join(mounted, 'ballast');
    const fixture = await open({});
    const config = scriptedConfig(fixture.provider.url, AGENTS);
    const parley = await Parley.start({ home, config });
    try {
      const { id } = await parley.createSession({ agentId: AGENTS[0]! });
      await parley.say(id, { content: 'before' });
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k'], { stdio: 'ignore' });
      const statuses = new Set<number>();
      for (let index = 0; index < 40 && !statuses.has(507); index++) {
        const sent = { id: `f${index}`, content: filler(index), busy: 'queue' };
        statuses.add((await parley.request('POST', `/api/sessions/${id}/messages`, sent)).status);
      }
      expect([...statuses].filter((status) => ![202, 429, 507].includes(status))).toEqual([]);
      expect(statuses).toContain(507);
      for (const read of ['messages', 'export', 'export?format=markdown', 'export'])
        expect([read, (await parley.request('GET', `/api/sessions/${id}/${read}`)).status]).toEqual([read, 200]);
      rmSync(ballast);
      await until(
        () => parley.session(id),
        (session) => session.status === 'active',
        15_000,
      );
      await parley.say(id, { content: 'after' });
      expect((await parley.transcript(id)).at(-2)).toBe('user: after');
    } finally {
      await parley.close();
      await fixture.close();
      spawnSync('umount', [mounted]);
      rmSync(mounted, { recursive: true, force: true });
    }
  });
});

/** A file system of three megabytes; null where nobody may mount one. */
function mountTiny(): string | null {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-tiny-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' });
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}
