import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { Compaction } from '../../contract/sessions.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import { estimateMessages, estimateTokens } from '../agents/prompt/estimate-tokens.ts';
import { basePrompt } from '../agents/prompt/system-prompt.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EventLog } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { archiveMessages, insertCompaction } from '../sessions/message-store.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import type { Histories, History, HistoryMessage } from '../sessions/transcript.ts';
import { toCompaction } from '../sessions/views.ts';
import type { RunningTurn } from './running-turn.ts';
import { findMessage, loadSessionRow, selectOpenTurns } from './store.ts';

/** Fewer messages than this are not worth a summary. */
const LEAST_ARCHIVED = 2;
const DEFAULT_KEEP = 6;
/** After an automatic compaction the kept messages fill at most this share of the window. */
const KEPT_SHARE = 0.25;

/** Archives the older part of a history behind a summary. Nothing is deleted. */
export class Compactor {
  readonly #log: EventLog;
  readonly #histories: Histories;
  readonly #agents: AgentDirectory;
  readonly #busy = new Map<string, AbortController>();

  constructor(log: EventLog, histories: Histories, agents: AgentDirectory) {
    this.#log = log;
    this.#histories = histories;
    this.#agents = agents;
  }

  /** While a compaction on request is under way, new messages queue. */
  isBusy(sessionId: string): boolean {
    return this.#busy.has(sessionId);
  }

  /** Stops a compaction on request; one inside a turn stops with its turn. */
  stop(sessionId: string): void {
    this.#busy.get(sessionId)?.abort();
  }

  /** On request. Refuses while the session is busy, and says when there is too little. */
  async compact(
    owner: string,
    sessionId: string,
    agentId: string | undefined,
    keep = DEFAULT_KEEP,
  ): Promise<Compaction> {
    const session = await loadSession(this.#log.db, owner, sessionId);
    const speaker = agentId ?? session.agent_id;
    if (!speaker) throw new AppError('agent_required', 'Name the agent that should write the summary.');
    const agent = this.#agents.require(speaker);
    const open = await selectOpenTurns(this.#log.db, sessionId);
    if (open.length > 0 || this.isBusy(sessionId))
      throw new AppError('session_busy', 'The session is busy; compact it when the turn is over.');
    const stop = new AbortController();
    this.#busy.set(sessionId, stop);
    try {
      return await this.#compactUpto(sessionId, agent, (history) => history.messages.length - keep, stop.signal);
    } finally {
      this.#busy.delete(sessionId);
    }
  }

  /** Inside a turn: when the request would pass the agent's threshold, or has turned out too large for the model. */
  async makeRoom(running: RunningTurn, agent: ResolvedAgent, why: 'threshold' | 'overflow'): Promise<boolean> {
    const history = await this.#histories.of(running.turn.session_id);
    if (why === 'threshold' && !passesThreshold(agent, history)) return false;
    const budget = keptBudget(agent, history, why);
    try {
      await this.#compactUpto(running.turn.session_id, agent, (all) => firstKept(all.messages, budget), running.signal);
      return true;
    } catch (error) {
      // Nothing to archive, or no summary to be had: the request goes out as it is and the model decides.
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  async #compactUpto(
    sessionId: string,
    agent: ResolvedAgent,
    firstKeptIn: (history: History) => number,
    signal: AbortSignal,
  ): Promise<Compaction> {
    const history = await this.#histories.of(sessionId);
    const archived = history.messages.slice(0, Math.max(0, firstKeptIn(history)));
    if (archived.length < LEAST_ARCHIVED) {
      throw new AppError('nothing_to_compact', 'There is too little here to summarise yet.');
    }
    const summary = await this.#agents.summarise(agent, history.summary, archived, signal);
    if ('failure' in summary)
      throw new AppError('compaction_failed', `No summary could be made: ${summary.failure.message}`);
    return this.#store(sessionId, agent.agentId, archived, summary.text);
  }

  /** Archive and marker in one transaction. */
  #store(
    sessionId: string,
    agentId: string,
    archived: readonly HistoryMessage[],
    summary: string,
  ): Promise<Compaction> {
    const last = archived.at(-1)!;
    return this.#log.write(async (tx) => {
      const session = await loadSessionRow(tx.db, sessionId);
      const message = await findMessage(tx.db, last.id);
      if (!session || message?.on_path !== 1)
        throw new AppError('compaction_failed', 'The session changed meanwhile; try again.');
      const row = { id: newId(tx.now), session_id: sessionId, agent_id: agentId, summary, created_at: tx.now };
      const compaction = { ...row, archived_count: archived.length, upto_seq: last.seq, last_message_id: last.id };
      await insertCompaction(tx.db, compaction);
      await archiveMessages(tx.db, sessionId, last.seq, compaction.id);
      tx.append(session, { type: 'session.compacted', compaction: toCompaction(compaction) });
      session.updated_at = tx.now;
      await saveSession(tx.db, session);
      reach('compaction.before-commit');
      return toCompaction(compaction);
    });
  }
}

function passesThreshold(agent: ResolvedAgent, history: History): boolean {
  const { contextWindow, compactionThreshold } = agent.chat;
  const fixed = estimateTokens(basePrompt(agent)) + estimateTokens(history.summary ?? '');
  return fixed + estimateMessages(history.messages) > contextWindow * compactionThreshold;
}

/** A model that refuses may have a smaller window than it was configured with: then only what was sent is a measure. */
function keptBudget(agent: ResolvedAgent, history: History, why: 'threshold' | 'overflow'): number {
  const share = agent.chat.contextWindow * KEPT_SHARE;
  return why === 'threshold' ? share : Math.min(share, estimateMessages(history.messages)) / 2;
}

/** The newest messages that fit the budget are kept, the one to answer always. */
function firstKept(messages: readonly HistoryMessage[], budget: number): number {
  let tokens = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    tokens += estimateMessages([messages[index]!]);
    if (tokens > budget) return Math.min(index + 1, messages.length - 1);
  }
  return 0;
}
