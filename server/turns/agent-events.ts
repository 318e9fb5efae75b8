import { Readable } from 'node:stream';
import { say as textOf } from '../../contract/texts.ts';
import { toTurnError } from '../../contract/turns.ts';
import type { AgentEvent } from '../agents/agent.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { reach } from '../fault-points.ts';
import type { SpokenKind } from './output.ts';
import type { ReportedCalls } from './own-tools.ts';
import type { RunningTurn } from './running-turn.ts';
import type { TurnDeps } from './turn-deps.ts';

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Takes in one event. The agent goes on once what is returned has been done. */
export function takeEvent(
  deps: TurnDeps,
  running: RunningTurn,
  { agent, reported }: { agent: ResolvedAgent; reported: ReportedCalls },
  event: Exclude<AgentEvent, { type: 'end' }>,
): Promise<void> | void {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return say(deps, running, event.type, event.text);
    case 'rejected_tool': {
      const { callId, name, input, reason } = event;
      return running.output.addRejectedCall({ callId, name, input, reason });
    }
    case 'tool_started':
      return running.turn.guest === 1 ? refuseTool(running, event) : reported.started(event);
    case 'tool_progress':
      return reported.progress(event);
    case 'tool_ended':
      return reported.ended(event);
    case 'artifact':
      return keepFile(deps, running, event);
    case 'retry':
      return announceRetry(deps, running, event.code, event.waitMs);
    case 'plan':
      return showProgress(deps, running, { plan: event.entries.slice(0, MAX_ENTRIES).map(cutEntry) });
    case 'status':
      return showProgress(deps, running, { status: event.text?.slice(0, MAX_STATUS) ?? null });
    case 'notice':
      running.output.addNotice(event.text);
      return deps.flusher.note(running);
    case 'usage':
      return running.addUsage(deps.priced(agent, event.usage));
    case 'seen':
      running.noteRequest(event.request);
      return deps.flusher.note(running);
    case 'state':
      running.noteState(event.token);
      return keepState(deps, running);
    default:
      return event satisfies never;
  }
}

/** The path of every token: remember it, tell the clients that watch, let the flusher know. */
function say(deps: TurnDeps, running: RunningTurn, kind: SpokenKind, text: string): void {
  if (running.stop) return;
  const { output } = running;
  const { part, offset } = output.add(kind, text);
  const { id: turnId, session_id: sessionId, agent_id: agentId } = running.turn;
  deps.log.bus.publishDelta({
    owner: running.owner,
    delta: { type: 'delta', sessionId, turnId, agentId, after: output.after, part, kind, offset, text },
  });
  deps.flusher.note(running);
  reach('turn.said');
  if (output.length > deps.limits().answerBytes) running.halt(TOO_LONG);
}

const TOO_LONG = {
  state: 'failed',
  stopReason: 'answer_too_large',
  error: toTurnError('answer_too_large', textOf('answer_too_large'), false),
} as const;

/** A guest has no tools, its own included: the attempt ends the turn. */
function refuseTool(running: RunningTurn, { callId, name, input }: EventOf<'tool_started'>): void {
  running.output.addRejectedCall({ callId, name, input, reason: GUEST_TOOL.error.message });
  running.halt(GUEST_TOOL);
}

const GUEST_TOOL = {
  state: 'failed',
  stopReason: 'tool_rejected',
  error: toTurnError('tools_not_allowed', textOf('tools_not_allowed.own'), true),
} as const;

async function keepFile(deps: TurnDeps, running: RunningTurn, event: EventOf<'artifact'>): Promise<void> {
  const { name, mediaType, content } = event;
  const about = await deps.files.upload(running.owner, { name, mediaType }, Readable.from([content]));
  const { id: fileId, kind, bytes } = about;
  running.output.addFile({ type: 'file', fileId, name: about.name, mediaType: about.mediaType, kind, bytes });
  deps.flusher.note(running);
}

export function announceRetry({ log }: TurnDeps, running: RunningTurn, code: string, waitMs: number): void {
  running.noteRetry(code, waitMs);
  const { id: turnId, session_id: sessionId } = running.turn;
  log.bus.publishDelta({ owner: running.owner, delta: { type: 'turn.retrying', sessionId, turnId, code, waitMs } });
}

/** What the agent does next may be what its state says that it has done. */
function keepState({ flusher }: TurnDeps, running: RunningTurn): Promise<void> {
  flusher.note(running);
  return flusher.flush();
}

const MAX_ENTRIES = 100;
const MAX_ENTRY = 1000;
const MAX_STATUS = 500;

type Progress = NonNullable<RunningTurn['progress']>;

function cutEntry({ text, state }: Progress['plan'][number]): Progress['plan'][number] {
  return { text: text.slice(0, MAX_ENTRY), state };
}

function showProgress({ log }: TurnDeps, running: RunningTurn, change: Partial<Progress>): void {
  running.progress = { status: null, plan: [], ...running.progress, ...change };
  const { id: turnId, session_id: sessionId } = running.turn;
  log.bus.publishDelta({
    owner: running.owner,
    delta: { type: 'turn.progress', sessionId, turnId, ...running.progress },
  });
}
