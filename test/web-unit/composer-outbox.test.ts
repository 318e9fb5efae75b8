import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { ConnectionError } from '../../client/connection-error.ts';
import { emptyState, type SessionState } from '../../client/session-state.ts';
import { AppError } from '../../contract/errors.ts';
import type { Receipt, SendMessageInput } from '../../contract/turns.ts';
import { type LiveState, NOTHING } from '../../web/live/live-state.ts';
import { Outbox, type Wanted } from '../../web/state/sending.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a message on its way', () => {
  it('is there at once, and until the conversation has it', async () => {
    const { outbox, server } = openOutbox();
    const { id } = outbox.send(words('hello'));
    expect(states(outbox)).toEqual(['sending']);
    await server.arrives();
    expect(states(outbox)).toEqual(['sent']);
    server.hear(id);
    expect(states(outbox)).toEqual([]);
  });

  it('stays where it is seen while its turn is about to begin, and stands in line behind somebody who speaks', async () => {
    const { outbox, server } = openOutbox();
    const { id } = outbox.send(words('hello'));
    await server.arrives();
    server.queues(id, []);
    expect(states(outbox)).toEqual(['sent']);
    server.queues(id, [{ turnId: 't', agentId: 'ada', guest: false, after: null, ahead: [], parts: [], retry: null }]);
    expect(states(outbox)).toEqual([]);
    const { id: late } = outbox.send({ ...words('in line'), place: 'queue' });
    await server.arrives();
    server.queues(late, []);
    expect(states(outbox)).toEqual([]);
  });

  it('stays where it is seen while somebody gives way to it', async () => {
    const { outbox, server } = openOutbox();
    const { id } = outbox.send({ ...words('now'), busy: 'interrupt' });
    await server.arrives();
    server.queues(id, [{ turnId: 't', agentId: 'ada', guest: false, after: null, ahead: [], parts: [], retry: null }]);
    expect(states(outbox)).toEqual(['sent']);
    server.hear(id);
    expect(states(outbox)).toEqual([]);
  });

  it('waits while the server cannot be reached, and goes out with the same id when it is back', async () => {
    const { outbox, server } = openOutbox();
    const { id } = outbox.send(words('hello'));
    await server.answers(new ConnectionError('http://x'));
    expect(states(outbox)).toEqual(['waiting']);
    server.connects();
    expect(server.asked.map((message) => message.id)).toEqual([id, id]);
    await server.arrives();
    expect(states(outbox)).toEqual(['sent']);
  });

  it('is known to wait at once when the connection is known to be lost', () => {
    const { outbox, server } = openOutbox();
    server.loses();
    outbox.send(words('hello'));
    expect(states(outbox)).toEqual(['waiting']);
    expect(server.asked).toHaveLength(1);
  });

  it('goes out after those that were written before it, one at a time', async () => {
    const { outbox, server } = openOutbox();
    outbox.send(words('first'));
    outbox.send(words('second'));
    outbox.send(words('elsewhere', 's2'));
    expect(server.asked.map(({ content }) => content)).toEqual(['first', 'elsewhere']);
    await server.answers(new ConnectionError('http://x'));
    server.connects();
    await server.arrives();
    await server.arrives();
    expect(server.asked.map(({ content }) => content)).toEqual(['first', 'elsewhere', 'first', 'second']);
  });

  it('keeps its words and says why when it is refused; the next one still goes', async () => {
    const { outbox, server } = openOutbox();
    outbox.send(words('too much'));
    outbox.send(words('next'));
    await server.answers(new AppError('queue_full', 'Twenty messages wait already.'));
    expect(outbox.store.getState()[0]).toMatchObject({
      content: 'too much',
      state: 'failed',
      reason: 'Twenty messages wait already.',
    });
    expect(server.asked.at(-1)!.content).toBe('next');
  });

  it('is sent again when the person asks for it, and forgotten when they do not want it', async () => {
    const { outbox, server } = openOutbox();
    const { id } = outbox.send(words('hello'));
    await server.answers(new AppError('queue_full', 'Later.'));
    outbox.retry(id);
    expect(server.asked).toHaveLength(2);
    await server.answers(new AppError('queue_full', 'Later.'));
    outbox.discard(id);
    expect(outbox.store.getState()).toEqual([]);
  });

  it('does not bother the person with what passes by itself', async () => {
    const { outbox, server } = openOutbox();
    outbox.send(words('hello'));
    await server.answers(new AppError('shutting_down', 'Parley is stopping.'));
    expect(states(outbox)).toEqual(['waiting']);
  });

  it('survives a reload with its id', async () => {
    const { outbox, server, memory } = openOutbox();
    const { id } = outbox.send(words('hello'));
    await server.answers(new ConnectionError('http://x'));
    const again = openOutbox(memory);
    expect(states(again.outbox)).toEqual(['waiting']);
    again.server.connects();
    expect(again.server.asked).toMatchObject([{ id, content: 'hello' }]);
    await again.server.arrives();
    expect(states(openOutbox(memory).outbox)).toEqual([]);
  });

  it('is not sent behind the back of somebody who wrote it long ago', async () => {
    const { outbox, server, memory } = openOutbox();
    outbox.send(words('hello'));
    await server.answers(new ConnectionError('http://x'));
    const later = openOutbox(memory, Date.now() + 2 * 3_600_000);
    later.server.connects();
    expect(later.server.asked).toEqual([]);
    expect(states(later.outbox)).toEqual(['failed']);
  });

  it('starts with nothing when what was kept cannot be read', () => {
    expect(states(openOutbox(memoryOf('{broken')).outbox)).toEqual([]);
    expect(states(openOutbox(memoryOf('{"a":1}')).outbox)).toEqual([]);
  });
});

function words(content: string, sessionId = 's1'): Wanted {
  return { sessionId, content, busy: 'queue', files: [], place: 'transcript' };
}

function states(outbox: Outbox): string[] {
  return outbox.store.getState().map(({ state }) => state);
}

function memoryOf(initial: string | null = null) {
  let kept = initial;
  return {
    getItem: () => kept,
    setItem: (_key: string, value: string) => {
      kept = value;
    },
  };
}

/** An outbox before a server that answers when the test says so. */
function openOutbox(memory = memoryOf(), now?: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const store = createStore<LiveState>()(() => ({
    ...NOTHING,
    states: new Map<string, SessionState>([
      ['s1', emptyState('s1')],
      ['s2', emptyState('s2')],
    ]),
  }));
  const asked: SendMessageInput[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const sendMessage = (_sessionId: string, message: SendMessageInput) => {
    asked.push(message);
    return new Promise<Receipt>((resolve, reject) => {
      answers.push((error) => (error ? reject(error) : resolve({} as Receipt)));
    });
  };
  const outbox = new Outbox({ client: { sendMessage }, store }, memory, now);
  const answer = async (error?: Error) => {
    answers.shift()!(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const server = {
    asked,
    arrives: () => answer(),
    answers: (error: Error) => answer(error),
    loses: () => store.setState({ connection: 'lost' }),
    connects: () => store.setState({ connection: 'open' }),
    queues: (id: string, open: SessionState['open']) => {
      const queue = [{ turn: {} as never, message: { id } as never }];
      store.setState({ states: new Map([['s1', { ...emptyState('s1'), queue, open }]]) });
    },
    hear: (id: string) => {
      const state = { ...emptyState('s1'), messages: new Map([[id, {} as never]]) };
      store.setState({ states: new Map([['s1', state]]) });
    },
  };
  return { outbox, server, memory };
}
