import { describe, expect, it } from 'vitest';
import type { FollowOptions } from '../../client/event-stream.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Agent } from '../../contract/agents.ts';
import type { SessionTemplate } from '../../contract/templates.ts';
import {
  aboutTemplate,
  BLANK,
  changesOf,
  draftFrom,
  draftOf,
  freeName,
  isComplete,
  isSame,
  toFields,
} from '../../web/features/templates/draft.ts';
import { Live } from '../../web/live/live.ts';
import { canAnswer } from '../../web/state/choose-agent.ts';
import { session } from './sidebar-fixtures.ts';

const STANDUP: SessionTemplate = {
  id: 't1',
  name: 'Standup',
  agentId: 'coder',
  title: 'Up',
  folder: 'Mornings',
  mode: 'read-only',
  opening: 'Yesterday I\n\nToday I ',
  sendsOpening: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

const agent = (agentId: string, given: Partial<Agent> = {}) =>
  ({ agentId, displayName: agentId.toUpperCase(), available: true, uiVisible: true, ...given }) as Agent;

describe('a draft', () => {
  it('of a template is that template again', () => {
    const { id, createdAt, updatedAt, ...fields } = STANDUP;
    expect(toFields(draftOf(STANDUP))).toEqual(fields);
    const bare = { ...STANDUP, agentId: null, title: null, folder: null, mode: 'full', opening: '' } as const;
    expect(toFields(draftOf(bare))).toMatchObject({ agentId: null, title: null, folder: null, mode: 'full' });
  });

  it('of a session has its agent, folder, mode and first words, under a name that is free', () => {
    const given = session('s1', { title: 'Trip', folder: 'Trips', mode: 'read-only', agentId: 'coder' });
    expect(draftFrom(given, 'plan it', ['Trip'])).toEqual({
      ...BLANK,
      name: 'Trip 2',
      agentId: 'coder',
      folder: 'Trips',
      opening: 'plan it',
      isReadOnly: true,
    });
  });

  it('leaves out spaces around names, and what is nothing but spaces', () => {
    const draft = { ...BLANK, name: ' A ', title: '  ', folder: ' F ', opening: ' \n', sendsOpening: true };
    expect(toFields(draft)).toMatchObject({ name: 'A', title: null, folder: 'F', opening: '', sendsOpening: false });
    expect(toFields({ ...draft, opening: ' as it is ' })).toMatchObject({ opening: ' as it is ', sendsOpening: true });
  });

  it('is complete with a name, and the same as long as nothing differs', () => {
    expect([isComplete(BLANK), isComplete({ ...BLANK, name: ' ' }), isComplete({ ...BLANK, name: 'x' })]).toEqual([
      false,
      false,
      true,
    ]);
    expect(isSame(BLANK, { ...BLANK })).toBe(true);
    expect(isSame(BLANK, { ...BLANK, isReadOnly: true })).toBe(false);
  });

  it('changes only what was changed', () => {
    const start = draftOf(STANDUP);
    expect(changesOf(start, start)).toEqual({});
    expect(changesOf(start, { ...start, name: 'Standup ', folder: '', isReadOnly: false })).toEqual({
      folder: null,
      mode: 'full',
    });
  });
});

describe('a free name', () => {
  it.each([
    ['Trip', [], 'Trip'],
    [' Trip ', ['Other'], 'Trip'],
    ['Trip', ['Trip', 'Trip 2', 'Trip 4'], 'Trip 3'],
  ])('for %j among %j is %j', (wanted, taken, name) => {
    expect(freeName(wanted, taken)).toBe(name);
  });

  it('is never longer than a name may be', () => {
    const long = 'x'.repeat(300);
    expect(freeName(long, [freeName(long, [])]).length).toBeLessThanOrEqual(200);
  });
});

describe('a template', () => {
  it('says in one line what its sessions begin with', () => {
    expect(aboutTemplate(STANDUP, [agent('coder')])).toBe('CODER · Mornings · Read-only tools · “Yesterday I Today I”');
    expect(aboutTemplate({ ...STANDUP, sendsOpening: true, folder: null, mode: 'full' }, [])).toBe(
      'coder · sends “Yesterday I Today I”',
    );
    const bare = { ...STANDUP, agentId: null, folder: null, mode: 'full', opening: ' ' } as const;
    expect(aboutTemplate(bare, [])).toBe('Last used agent');
  });

  it('has somebody to answer when its agent is there and able, or when it is for nobody in particular', () => {
    expect(canAnswer(STANDUP, [agent('coder')])).toBe(true);
    expect(canAnswer(STANDUP, [agent('coder', { available: false })])).toBe(false);
    expect(canAnswer(STANDUP, [agent('other')])).toBe(false);
    expect(canAnswer({ ...STANDUP, agentId: null }, [])).toBe(true);
  });
});

describe('what is told live and not numbered', () => {
  /** A server that tells what it is told to tell. */
  async function follow(tell: (onConnection: NonNullable<FollowOptions['onConnection']>) => Iterable<object>) {
    const end = Promise.withResolvers<void>();
    const client = {
      call: async (name: string) =>
        name === 'listSessions' ? { sessions: [], next: null, position: 0 } : { actions: [] },
      events: async function* ({ onConnection }: FollowOptions) {
        yield* tell(onConnection!);
        end.resolve();
      },
    } as unknown as ParleyClient;
    const live = new Live(client);
    await live.start();
    await end.promise;
    live.stop();
    const { templatesVersion, configurationVersion, connection } = live.store.getState();
    return { templatesVersion, configurationVersion, connection };
  }

  it('is read anew when it is told', async () => {
    const told = await follow(() => [{ type: 'templates.changed' }, { type: 'templates.changed' }]);
    expect(told).toEqual({ templatesVersion: 2, configurationVersion: 0, connection: 'open' });
  });

  it('is read anew when the connection was lost and is back, and not when it only goes on', async () => {
    const told = await follow((onConnection) => {
      for (const state of ['open', 'lost', 'lost', 'open', 'open'] as const) onConnection(state);
      return [];
    });
    expect(told).toEqual({ templatesVersion: 1, configurationVersion: 1, connection: 'open' });
  });
});
