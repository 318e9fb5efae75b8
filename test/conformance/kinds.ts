import type { Session } from '../../contract/sessions.ts';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { call, ScriptedAgents, type ScriptedAnswer } from '../suites/scripted-agents.ts';
import type { Fixture } from './fixture.ts';

/** `speaks`: says "Hello." and ends. `hangs`: says it and goes on without an end. `fails`: says it and fails. */
export type Behaviour = 'speaks' | 'hangs' | 'fails';

export interface Begun {
  sessionId: string;
  turnId: string;
}

/** One kind of agent, and how to have it behave. */
export interface KindUnderTest {
  name: string;
  /** Its turn goes on after a restart; what it does then is tested with the kind. */
  reattaches?: true;
  begin(fixture: Fixture, behaviour: Behaviour): Promise<Begun>;
}

export const KINDS: readonly KindUnderTest[] = [
  { name: 'chat', begin: beginChat },
  { name: 'worker', begin: beginWorker },
  { name: 'scripted', begin: beginScripted },
  { name: 'acp', begin: beginAcp },
  { name: 'claude-cli', begin: (fixture, behaviour) => begin(fixture, 'claude', CLI[behaviour]) },
  { name: 'codex-cli', begin: (fixture, behaviour) => begin(fixture, 'codex', CLI[behaviour]) },
  { name: 'pi-cli', begin: (fixture, behaviour) => begin(fixture, 'pi', CLI[behaviour]) },
  { name: 'a2a', reattaches: true, begin: (fixture, behaviour) => begin(fixture, 'far', A2A[behaviour]) },
  { name: 'external', reattaches: true, begin: (fixture, behaviour) => begin(fixture, 'ext', behaviour) },
];

const CLI: Record<Behaviour, string> = { speaks: 'GREET', hangs: 'HANG', fails: 'FAIL' };

const A2A: Record<Behaviour, string> = {
  speaks: 'say Hello.',
  hangs: 'say Hello.\nhang',
  fails: 'say Hello.\nend failed',
};

const CHAT: Record<Behaviour, ScriptedAnswer> = {
  speaks: 'Hello.',
  hangs: [...text('Hello.'), { kind: 'stall', pingMs: 100 }],
  fails: [...text('Hello.'), { kind: 'error', message: 'no' }],
};

async function beginChat(fixture: Fixture, behaviour: Behaviour): Promise<Begun> {
  new ScriptedAgents(fixture.provider).answers('ada', CHAT[behaviour]);
  return begin(fixture, 'ada', 'Go.');
}

const WORKER: Record<Behaviour, string> = {
  speaks: 'printf Hello.',
  hangs: 'printf Hello.; sleep 600',
  fails: 'printf Hello.; kill -9 $$',
};

/** A tool that goes on in the background works in a session of its own. */
async function beginWorker(fixture: Fixture, behaviour: Behaviour): Promise<Begun> {
  const command = WORKER[behaviour];
  await noCallerIsAwake(fixture);
  new ScriptedAgents(fixture.provider).answers('ada', [call('bash', { command, background: true })], 'It runs.');
  const { sessionId: parent } = await begin(fixture, 'ada', 'Go.');
  const [work] = await until(
    async () => (await fixture.parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${parent}`)).sessions,
    (sessions) => sessions.length === 1,
  );
  fixture.ledger.sessions.set(work!.id, 'live');
  const { turns } = await fixture.parley.ok<{ turns: { id: string }[] }>('GET', `/api/sessions/${work!.id}/turns`);
  return { sessionId: work!.id, turnId: turns[0]!.id };
}

/** The result of earlier work wakes its caller, which would take the script that is meant for the next turn. */
async function noCallerIsAwake(fixture: Fixture): Promise<void> {
  await until(
    async () => (await fixture.parley.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions,
    (sessions) => {
      const callers = new Set(sessions.map(({ parentSessionId }) => parentSessionId));
      return sessions.every(({ id, status }) => !callers.has(id) || status !== 'working');
    },
  );
}

const SCRIPTED: Record<Behaviour, string> = {
  speaks: 'say Hello.',
  hangs: 'say Hello.\nhang',
  fails: 'say Hello.\ndie',
};

function beginScripted(fixture: Fixture, behaviour: Behaviour): Promise<Begun> {
  return begin(fixture, 'pip', SCRIPTED[behaviour]);
}

function beginAcp(fixture: Fixture, behaviour: Behaviour): Promise<Begun> {
  return begin(fixture, 'ann', SCRIPTED[behaviour]);
}

async function begin(fixture: Fixture, agentId: string, words: string): Promise<Begun> {
  const sessionId = await fixture.open(agentId);
  return { sessionId, turnId: (await fixture.send(sessionId, words)).turn.id };
}
