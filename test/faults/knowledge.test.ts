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

/** Two megabytes that would be read for many minutes, without ever getting any further. */
function slowPdf(title = ''): Buffer {
  return Buffer.from(`%PDF-1.4\n% ${title}\n${'1 0 obj\n<<\n'.repeat(200_000)}`);
}

function counts(parley: Parley): Record<string, unknown> {
  const db = new DatabaseSync(path.join(parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM knowledge_passages) AS passages, (SELECT count(*) FROM knowledge_fts) AS indexed,
      (SELECT count(DISTINCT source_id || number) FROM knowledge_passages) AS different,
      (SELECT count(*) FROM knowledge_sources) AS sources, (SELECT total(attempts) FROM knowledge_sources) AS attempts, (SELECT count(*) FROM knowledge_agents) AS uses`,
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
    await knowing.add('slow.pdf', slowPdf(), { id: 'slow' });
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

it('P12: files that would be read for many minutes keep no other one waiting, and few are read at once', async () => {
  const parley = await Parley.start({ config: { agents: [], limits: { knowledgeQuickReadMs: 3000 } } });
  try {
    const knowing = new Knowing(parley);
    const slow = ['one', 'two', 'three', 'four'];
    for (const id of slow) await knowing.add(`${id}.pdf`, slowPdf(id), { id });
    let most = 0;
    const small = await knowing.add('small.txt', 'A word about the sea.');
    await until(
      async () => {
        most = Math.max(most, childrenOf(parley.pid).length);
        return (await knowing.get(small.id)).state;
      },
      (state) => state === 'ready',
    );
    const states = (await Promise.all(slow.map((id) => knowing.get(id)))).map(({ state }) => state);
    expect(states.filter((state) => state !== 'reading' && state !== 'waiting')).toEqual([]);
    expect(most).toBeLessThanOrEqual(2);
    // What gave way is not counted as an attempt.
    for (const id of slow) await parley.ok('POST', `/api/knowledge/${id}/stop`);
    await until(
      async () => childrenOf(parley.pid),
      (pids) => pids.length === 0,
    );
    const { attempts, ...others } = counts(parley);
    expect(others).toMatchObject({ passages: 1, indexed: 1 });
    expect(attempts).toBeLessThanOrEqual(2);
  } finally {
    await parley.close();
  }
}, 60_000);

it('P12: a file with which reading gets no further fails long before its time is over', async () => {
  const limits = { knowledgeStallMs: 1500 };
  const parley = await Parley.start({ config: { agents: [], limits } });
  try {
    const { problem } = await new Knowing(parley).know('slow.pdf', slowPdf());
    expect(problem).toMatchObject({ code: 'knowledge_no_progress', text: { values: { seconds: 2 } } });
    expect(childrenOf(parley.pid)).toEqual([]);
  } finally {
    await parley.close();
  }
}, 60_000);

it('P14: after a kill while a file gives way, it and the one that it made room for are read', async () => {
  const limits = { knowledgeQuickReadMs: 1, knowledgeReadsAtOnce: 2 };
  const parley = await Parley.start({ config: { agents: [], limits }, env: { PARLEY_FAULT: 'knowledge.waits-again' } });
  try {
    const knowing = new Knowing(parley);
    const books = ['a', 'b', 'c'].map((id) => [id, pdfOf([...BOOK, [id]])] as const);
    await Promise.all(books.map(([id, pdf]) => knowing.add(`${id}.pdf`, pdf, { id }))).catch(() => undefined);
    await parley.waitForExit();
    await parley.restart({});
    for (const [id, pdf] of books) {
      await knowing.add(`${id}.pdf`, pdf, { id });
      expect(await knowing.settled(id)).toMatchObject({ state: 'ready', passages: 401 });
    }
    expect(counts(parley)).toMatchObject({ passages: 1203, indexed: 1203, different: 1203 });
  } finally {
    await parley.close();
  }
}, 60_000);

it('P12: files that are read at the same time share the limit of all passages', async () => {
  const parley = await Parley.start({ config: { agents: [], limits: { knowledgePassagesPerUser: 500 } } });
  try {
    const knowing = new Knowing(parley);
    const books = await Promise.all(['a', 'b'].map((id) => knowing.know(`${id}.pdf`, pdfOf([...BOOK, [id]]), { id })));
    expect(books.map(({ state, problem }) => problem?.code ?? state).sort()).toEqual(['knowledge_full', 'ready']);
    expect(counts(parley)).toMatchObject({ passages: 401, indexed: 401 });
  } finally {
    await parley.close();
  }
}, 60_000);

it('pages without text are progress, so a scan of a thousand pages is not taken for one that gets no further', async () => {
  const parley = await Parley.start({ config: { agents: [] } });
  const leave = new AbortController();
  try {
    const stream = parley.events('/api/events', {}, leave.signal);
    await new Knowing(parley).add('scan.pdf', pdfOf(Array.from({ length: 4000 }, () => [])));
    const fractions = new Set<number>();
    for await (const { type, data } of stream) {
      if (type !== 'knowledge.changed') continue;
      if (data.source.fraction !== null) fractions.add(data.source.fraction);
      if (data.source.state === 'failed') break;
    }
    expect([...fractions].filter((fraction) => fraction > 0 && fraction < 1)).not.toEqual([]);
  } finally {
    leave.abort();
    await parley.close();
  }
}, 60_000);

it('P2: whatever is added, stopped, read again and deleted at the same time, each passage of what is left is there once', async () => {
  const limits = { knowledgeReadsAtOnce: 3, knowledgeQuickReadMs: 150 };
  const parley = await Parley.start({ config: { agents: [], limits } });
  try {
    const knowing = new Knowing(parley);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const pdf = (id: string) => pdfOf([...BOOK, [id]]);
    await Promise.all(ids.map((id) => knowing.add(`${id}.pdf`, pdf(id), { id })));
    for (let round = 0; round < 25; round++) {
      const id = ids[(round * 3) % ids.length]!;
      const verb = ['stop', 'retry', 'delete', 'retry', 'stop'][(round * 7) % 5]!;
      if (verb !== 'delete') await parley.ok('POST', `/api/knowledge/${id}/${verb}`);
      else {
        await parley.ok('DELETE', `/api/knowledge/${id}`);
        // Its id is free again once nothing of it is left.
        const answers = new Set<string | undefined>();
        await until(
          () => knowing.upload(`${id}.pdf`, pdf(id), { id }),
          ({ status, body }) => answers.add((body as { code?: string }).code).size > 0 && status === 201,
        );
        expect([...answers].filter((code) => code !== 'knowledge_id_taken' && code !== undefined)).toEqual([]);
      }
    }
    for (const id of ids) {
      await parley.ok('POST', `/api/knowledge/${id}/retry`);
      await knowing.settled(id);
      await parley.ok('POST', `/api/knowledge/${id}/retry`);
      expect(await knowing.settled(id)).toMatchObject({ state: 'ready', passages: 401 });
    }
    await until(
      async () => counts(parley),
      ({ passages }) => passages === 2005,
    );
    expect(counts(parley)).toMatchObject({ indexed: 2005, different: 2005, sources: 5 });
  } finally {
    await parley.close();
  }
}, 120_000);
