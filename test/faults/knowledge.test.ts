import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { KnowledgeSource } from '../../contract/knowledge.ts';
import { pdfOf } from '../harness/documents.ts';
import { Parley, until } from '../harness/parley.ts';
import { Knowing } from '../suites/knowing.ts';
import { reconfigure } from '../suites/reconfigure.ts';

const BOOK = Array.from({ length: 400 }, (_, page) => [`Page ${page}`, 'It is a long book about the sea. '.repeat(3)]);

function counts(parley: Parley): Record<string, unknown> {
  const db = new DatabaseSync(path.join(parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM knowledge_passages) AS passages, (SELECT count(*) FROM knowledge_fts) AS indexed,
      (SELECT count(DISTINCT source_id || number) FROM knowledge_passages) AS different,
      (SELECT count(*) FROM knowledge_sources) AS sources, (SELECT count(*) FROM knowledge_agents) AS uses`,
    )
    .get()!;
  db.close();
  return row;
}

/** Its text is read by a process of its own, and stored in several transactions. */
it.each(['knowledge.stored', 'knowledge.stored:7', 'knowledge.ready'])(
  'P14: after a kill at %s, a file is read from its beginning, and each passage is there once',
  async (point) => {
    const parley = await Parley.start({ config: { agents: [] }, env: { PARLEY_FAULT: point } });
    try {
      const knowing = new Knowing(parley);
      const { id } = await knowing.add('book.pdf', pdfOf(BOOK), { id: 'book' });
      await parley.waitForExit();
      await parley.restart({});
      expect(await knowing.settled(id)).toMatchObject({ state: 'ready', pages: 400, passages: 400 });
      expect(counts(parley)).toMatchObject({ passages: 400, indexed: 400, different: 400 });
      expect(await knowing.search('sea', { limit: '50' })).toHaveLength(50);
    } finally {
      await parley.close();
    }
  },
  60_000,
);

it('P4: a file with which the server dies every time fails in the end, and can be tried again', async () => {
  const parley = await Parley.start({ config: { agents: [] }, env: { PARLEY_FAULT: 'knowledge.stored' } });
  try {
    const knowing = new Knowing(parley);
    await knowing.add('book.pdf', pdfOf(BOOK), { id: 'book' });
    for (let times = 1; times < 3; times++) {
      await parley.waitForExit();
      await parley.restart({ PARLEY_FAULT: 'knowledge.stored' });
    }
    await parley.waitForExit();
    await parley.restart({});
    expect((await knowing.settled('book')).problem!.code).toBe('knowledge_interrupted');
    expect(counts(parley)).toMatchObject({ passages: 0, indexed: 0 });
    await parley.ok<KnowledgeSource>('POST', '/api/knowledge/book/retry');
    expect(await knowing.settled('book')).toMatchObject({ state: 'ready', passages: 400 });
  } finally {
    await parley.close();
  }
}, 60_000);

it('P13: the process that reads a file ends with a server that was killed, however long the file would take', async () => {
  const parley = await Parley.start({ config: { agents: [] } });
  try {
    const knowing = new Knowing(parley);
    await knowing.add('slow.pdf', Buffer.from(`%PDF-1.4\n${'1 0 obj\n<<\n'.repeat(200_000)}`), { id: 'slow' });
    const [reader] = await until(
      async () => childrenOf(parley.pid),
      (pids) => pids.length > 0,
    );
    await parley.kill();
    expect(existsSync(`/proc/${reader}`)).toBe(true);
    await expect.poll(() => existsSync(`/proc/${reader}`)).toBe(false);
  } finally {
    await parley.close();
  }
}, 60_000);

function childrenOf(pid: number): string[] {
  const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return running.filter((one) => {
    try {
      return readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === String(pid);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

it('P12: reading that takes too long, or too much memory, fails and harms nothing else', async () => {
  const limits = { knowledgeReadMs: 1 };
  const parley = await Parley.start({ config: { agents: [], limits } });
  try {
    const knowing = new Knowing(parley);
    expect((await knowing.know('slow.pdf', pdfOf(BOOK))).problem!.code).toBe('knowledge_too_slow');
    await reconfigure({ parley }, (settings) => {
      settings.limits = { knowledgeReadMemoryBytes: 20_000_000 };
    });
    expect((await knowing.know('large.pdf', pdfOf(BOOK.slice(1)))).problem!.code).toBe('knowledge_too_much_memory');
    expect(counts(parley)).toMatchObject({ passages: 0, indexed: 0 });
  } finally {
    await parley.close();
  }
}, 60_000);

it('P10: what is deleted, before or while it is read, leaves nothing behind', async () => {
  const parley = await Parley.start({ config: { agents: [] } });
  try {
    const knowing = new Knowing(parley);
    await knowing.add('book.pdf', pdfOf(BOOK), { id: 'book' });
    await parley.ok('DELETE', '/api/knowledge/book');
    await parley.restart({});
    const other = await knowing.know('other.txt', 'another text');
    expect(other.state).toBe('ready');
    expect(counts(parley)).toMatchObject({ passages: 1, indexed: 1 });
    await parley.ok('DELETE', `/api/knowledge/${other.id}`);
    await until(
      async () => counts(parley),
      ({ sources }) => sources === 0,
    );
    expect(counts(parley)).toMatchObject({ passages: 0, indexed: 0, uses: 0 });
  } finally {
    await parley.close();
  }
}, 60_000);
