import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { Compaction } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { Usage } from '../../contract/turns.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import { estimateMessages, estimateTokens } from '../agents/prompt/estimate-tokens.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EventLog } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { archiveMessages, insertCompaction } from '../sessions/message-store.ts';
import { loadSession, saveSession } from '../sessions/store.ts';
import type { Histories, History, HistoryMessage } from '../sessions/transcript.ts';
import { toCompaction } from '../sessions/views.ts';
import type { RunningTurn } from './running-turn.ts';
import { findMessage, loadSessionRow, selectOpenTurns } from './store.ts';
import { addUp } from './usage.ts';

/** Fewer messages than this are not worth a summary. */
const LEAST_ARCHIVED = 2;
const DEFAULT_KEEP = 6;

/** What a request cost, as far as prices are known. */
type Priced = (agent: ResolvedAgent, usage: Usage) => Usage;
type Report = (problem: string, error: unknown) => void;

/** Of so many sessions it is remembered that a summary was of no use. */
const MOST_VAIN = 1000;
/** A summary that a person asks for may be so long in any case, also where little was said. */
const SHORT_SUMMARY_TOKENS = 500;

/** Archives the older part of a history behind a summary. Nothing is deleted. */
export class Compactor {
  readonly #log: EventLog;
  readonly #histories: Histories;
  readonly #agents: AgentDirectory;
  readonly #priced: Priced;
  readonly #report: Report;
  readonly #busy = new Map<string, AbortController>();
  /** Sessions whose last summary was no shorter than what it would have stood for, with the tokens of that. */
  readonly #vain = new Map<string, number>();

  constructor(log: EventLog, histories: Histories, agents: AgentDirectory, priced: Priced, report: Report) {
    this.#log = log;
    this.#histories = histories;
    this.#agents = agents;
    this.#priced = priced;
    this.#report = report;
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
    if (!speaker) throw new AppError('agent_required', say('agent_required.summary'));
    const agent = this.#agents.require(speaker);
    const open = await selectOpenTurns(this.#log.db, sessionId);
    if (open.length > 0 || this.isBusy(sessionId)) throw new AppError('session_busy', say('session_busy.compact'));
    const stop = new AbortController();
    this.#busy.set(sessionId, stop);
    try {
      const firstKeptIn = (history: History) => history.messages.length - keep;
      return await this.#compactUpto(sessionId, agent, firstKeptIn, stop.signal, SHORT_SUMMARY_TOKENS);
    } finally {
      this.#busy.delete(sessionId);
    }
  }

  /** Inside a turn, as its agent wants it: keeps the newest messages, those of about `keepTokens`. */
  async makeRoom(running: RunningTurn, agent: ResolvedAgent, keepTokens: number): Promise<boolean> {
    const { session_id: sessionId } = running.turn;
    try {
      const firstKeptIn = (all: History) => firstKept(all.messages, keepTokens);
      if (await this.#wasVain(sessionId, firstKeptIn)) return false;
      await this.#compactUpto(sessionId, agent, firstKeptIn, running.signal, 0);
      return true;
    } catch (error) {
      // Nothing to archive, or no summary to be had: the request goes out as it is and the model decides.
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** A model whose summary was too long is asked again only when there is twice as much to summarise. */
  async #wasVain(sessionId: string, firstKeptIn: (history: History) => number): Promise<boolean> {
    const vain = this.#vain.get(sessionId);
    if (vain === undefined) return false;
    const history = await this.#histories.of(sessionId);
    return tokensOf(history, archivedIn(history, firstKeptIn)) < vain * 2;
  }

  async #compactUpto(
    sessionId: string,
    agent: ResolvedAgent,
    firstKeptIn: (history: History) => number,
    signal: AbortSignal,
    shortTokens: number,
  ): Promise<Compaction> {
    const history = await this.#histories.of(sessionId);
    const archived = archivedIn(history, firstKeptIn);
    if (archived.length < LEAST_ARCHIVED) {
      throw new AppError('nothing_to_compact', say('nothing_to_compact'));
    }
    const opened = this.#agents.open(agent);
    if (!opened.summarise)
      throw new AppError('compaction_failed', say('compaction_failed.agent', { agent: agent.displayName }));
    const summary = await opened.summarise(history.summary, archived, signal);
    if ('failure' in summary)
      throw new AppError('compaction_failed', say('compaction_failed', { reason: summary.failure.message }));
    const tokens = Math.max(shortTokens, tokensOf(history, archived));
    this.#assertShorter(sessionId, estimateTokens(summary.text), tokens);
    const usages = summary.usages.map((usage) => this.#priced(agent, usage));
    return this.#store(sessionId, agent.agentId, archived, {
      text: summary.text,
      usage: usages.length > 0 ? JSON.stringify(usages.reduce(addUp)) : null,
    });
  }

  /** A summary that is no shorter than what it stands for would only lose words. */
  #assertShorter(sessionId: string, summaryTokens: number, tokens: number): void {
    this.#vain.delete(sessionId);
    if (summaryTokens < tokens) return;
    if (this.#vain.size >= MOST_VAIN) this.#vain.clear();
    this.#vain.set(sessionId, tokens);
    const error = new AppError('compaction_failed', say('compaction_failed.longer'));
    this.#report('a summary was no shorter than the messages it would have replaced, so it was not used', error);
    throw error;
  }

  /** Archive and marker in one transaction. */
  #store(
    sessionId: string,
    agentId: string,
    archived: readonly HistoryMessage[],
    { text: summary, usage }: { text: string; usage: string | null },
  ): Promise<Compaction> {
    const last = archived.at(-1)!;
    return this.#log.write(async (tx) => {
      const session = await loadSessionRow(tx.db, sessionId);
      const message = await findMessage(tx.db, last.id);
      if (!session || message?.on_path !== 1) throw new AppError('compaction_failed', say('compaction_failed.changed'));
      const row = { id: newId(tx.now), session_id: sessionId, agent_id: agentId, summary, usage, created_at: tx.now };
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

function archivedIn(history: History, firstKeptIn: (history: History) => number): readonly HistoryMessage[] {
  return history.messages.slice(0, Math.max(0, firstKeptIn(history)));
}

/** What a new summary stands for: messages, and the earlier summary. */
function tokensOf({ summary }: History, archived: readonly HistoryMessage[]): number {
  return estimateTokens(summary ?? '') + estimateMessages(archived);
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
