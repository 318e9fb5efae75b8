import type { Session } from '../../contract/sessions.ts';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { Cast, call, type Line } from '../suites/cast.ts';
import type { Scene } from './scene.ts';

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
  begin(scene: Scene, behaviour: Behaviour): Promise<Begun>;
}

export const KINDS: readonly KindUnderTest[] = [
  { name: 'chat', begin: beginChat },
  { name: 'worker', begin: beginWorker },
  { name: 'scripted', begin: beginScripted },
  { name: 'acp', begin: beginAcp },
  { name: 'claude-cli', begin: (scene, behaviour) => begin(scene, 'claude', CLI[behaviour]) },
  { name: 'codex-cli', begin: (scene, behaviour) => begin(scene, 'codex', CLI[behaviour]) },
  { name: 'pi-cli', begin: (scene, behaviour) => begin(scene, 'pi', CLI[behaviour]) },
  { name: 'a2a', reattaches: true, begin: (scene, behaviour) => begin(scene, 'far', A2A[behaviour]) },
  { name: 'external', reattaches: true, begin: (scene, behaviour) => begin(scene, 'ext', behaviour) },
];

const CLI: Record<Behaviour, string> = { speaks: 'GREET', hangs: 'HANG', fails: 'FAIL' };

const A2A: Record<Behaviour, string> = {
  speaks: 'say Hello.',
  hangs: 'say Hello.\nhang',
  fails: 'say Hello.\nend failed',
};

const CHAT: Record<Behaviour, Line> = {
  speaks: 'Hello.',
  hangs: [...text('Hello.'), { kind: 'stall', pingMs: 100 }],
  fails: [...text('Hello.'), { kind: 'error', message: 'no' }],
};

async function beginChat(scene: Scene, behaviour: Behaviour): Promise<Begun> {
  new Cast(scene.provider).plays('ada', CHAT[behaviour]);
  return begin(scene, 'ada', 'Go.');
}

const WORKER: Record<Behaviour, string> = {
  speaks: 'printf Hello.',
  hangs: 'printf Hello.; sleep 600',
  fails: 'printf Hello.; kill -9 $$',
};

/** A tool that goes on in the background works in a session of its own. */
async function beginWorker(scene: Scene, behaviour: Behaviour): Promise<Begun> {
  const command = WORKER[behaviour];
  await noCallerIsAwake(scene);
  new Cast(scene.provider).plays('ada', [call('bash', { command, background: true })], 'It runs.');
  const { sessionId: parent } = await begin(scene, 'ada', 'Go.');
  const [work] = await until(
    async () => (await scene.parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${parent}`)).sessions,
    (sessions) => sessions.length === 1,
  );
  scene.ledger.sessions.set(work!.id, 'live');
  const { turns } = await scene.parley.ok<{ turns: { id: string }[] }>('GET', `/api/sessions/${work!.id}/turns`);
  return { sessionId: work!.id, turnId: turns[0]!.id };
}

/** The result of earlier work wakes its caller, which would take the script that is meant for the next turn. */
async function noCallerIsAwake(scene: Scene): Promise<void> {
  await until(
    async () => (await scene.parley.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions,
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

function beginScripted(scene: Scene, behaviour: Behaviour): Promise<Begun> {
  return begin(scene, 'pip', SCRIPTED[behaviour]);
}

function beginAcp(scene: Scene, behaviour: Behaviour): Promise<Begun> {
  return begin(scene, 'ann', SCRIPTED[behaviour]);
}

async function begin(scene: Scene, agentId: string, words: string): Promise<Begun> {
  const sessionId = await scene.open(agentId);
  return { sessionId, turnId: (await scene.send(sessionId, words)).turn.id };
}
