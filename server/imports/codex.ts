import { homedir } from 'node:os';
import path from 'node:path';
import type { Usage } from '../../contract/turns.ts';
import {
  type CodexPayload,
  type CodexRecord,
  type CodexUsage,
  itemText,
  outputText,
  parseCodex,
  personText,
} from './codex-records.ts';
import type { Glance, Program, ProgramFacts, SessionFile } from './program.ts';
import { readRecords } from './records.ts';
import type { DraftNode, SessionDraft } from './session-draft.ts';

/** `~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-SESSION.jsonl` */
export const codex: Program = {
  program: 'codex',
  root: (env) => path.join(env.CODEX_HOME || path.join(env.HOME || homedir(), '.codex'), 'sessions'),
  idOf: (file) => /rollout-[^/]*-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(file)?.[1] ?? null,
  glance,
  read,
  stateToken: ({ id }) => id,
};

function glance(head: readonly unknown[]): Glance | null {
  const records = head.map(parseCodex).filter((record) => record !== undefined);
  const meta = records.find(({ type }) => type === 'session_meta')?.payload;
  if (!meta || isSubAgent(meta)) return null;
  const said = records.map(personText).find((text) => text !== null);
  return { title: said ?? null, folder: meta.cwd ?? null };
}

function isSubAgent({ thread_source, parent_thread_id }: CodexPayload): boolean {
  return thread_source === 'subagent' || typeof parent_thread_id === 'string';
}

/** A fork of a fork of a fork. */
const MAX_FORKS = 16;

async function read(file: SessionFile, draft: SessionDraft): Promise<ProgramFacts> {
  const reading = new CodexReading(draft);
  await readFrom(file, reading, Number.POSITIVE_INFINITY, MAX_FORKS);
  return { title: null, folder: reading.folder, usage: reading.usage };
}

/** A fork begins with what the session it was made from held then. */
async function readFrom(file: SessionFile, reading: CodexReading, upToByte: number, forks: number): Promise<void> {
  for await (const raw of readRecords(file.path, upToByte)) {
    const record = parseCodex(raw);
    if (!record) continue;
    const base = record.type === 'session_meta' && record.payload.history_base;
    const origin = base && forks > 0 ? await file.other(base.thread_id) : undefined;
    if (base && origin) await readFrom(origin, reading, base.end_byte_offset ?? Number.POSITIVE_INFINITY, forks - 1);
    reading.take(record);
  }
}

/** Records follow each other; what is shown is noted beside what was sent, so each thing is taken from one of them. */
class CodexReading {
  readonly #draft: SessionDraft;
  readonly #used = new Map<string, CodexUsage>();
  #counted: CodexUsage | undefined;
  #model: string | undefined;
  #number = 0;
  /** The answer that further words and calls belong to. */
  #answer: DraftNode | null = null;
  #hasResults = false;
  folder: string | null = null;

  constructor(draft: SessionDraft) {
    this.#draft = draft;
  }

  get usage(): Usage | null {
    const used = this.#used.size > 0 ? [...this.#used.values()] : this.#counted ? [this.#counted] : [];
    if (used.length === 0) return null;
    const sum = (name: keyof CodexUsage) => used.reduce((total, each) => total + each[name], 0);
    return {
      inputTokens: sum('input_tokens'),
      outputTokens: sum('output_tokens'),
      cachedInputTokens: sum('cached_input_tokens'),
      reasoningTokens: sum('reasoning_output_tokens'),
      ...(this.#model !== undefined && { model: this.#model }),
    };
  }

  take(record: CodexRecord): void {
    const { type, payload } = record;
    if (type === 'session_meta') this.folder = payload.cwd ?? this.folder;
    if (type === 'turn_context') this.#model = payload.model ?? this.#model;
    if (type === 'token_usage_record' && payload.usage) this.#used.set(payload.response_id ?? '', payload.usage);
    if (this.#draft.isFull) return;
    if (type === 'compacted') this.#draft.summarise(this.#draft.last, payload.message ?? '', record.timestamp);
    if (type === 'event_msg') this.#takeEvent(record);
    if (type === 'response_item') this.#takeCall(record);
  }

  #takeEvent(record: CodexRecord): void {
    const { payload, timestamp } = record;
    const said = personText(record);
    if (said !== null && said.trim() !== '') this.#say(said, timestamp);
    const answer = payload.type === 'agent_message' ? payload.message : itemText(payload, 'AgentMessage');
    if (answer) this.#draft.text(this.#open(timestamp), answer);
    const thought = payload.type === 'agent_reasoning' ? payload.text : reasoningOf(payload);
    if (thought) this.#draft.reasoning(this.#open(timestamp), thought);
    if (payload.type === 'item_completed') this.#takeExecution(payload);
    if (payload.type === 'turn_aborted' && this.#answer) this.#answer.interrupted = true;
    if (payload.type === 'thread_rolled_back') this.#rollBack(payload.num_turns ?? 0);
    if (payload.type === 'token_count') this.#counted = payload.info?.total_token_usage ?? this.#counted;
  }

  #say(text: string, at: string | undefined): void {
    this.#answer = null;
    this.#draft.person(this.#nextId(), this.#draft.last, at, [{ type: 'text', text }]);
  }

  /** Words after a call are another step of the same answer. */
  #open(at: string | undefined): DraftNode {
    const last = this.#answer?.parts.at(-1);
    return !this.#answer || last?.type === 'tool_call' ? this.#nextStep(at) : this.#answer;
  }

  #nextStep(at: string | undefined): DraftNode {
    this.#hasResults = false;
    this.#answer = this.#draft.agent(this.#nextId(), this.#draft.last, at);
    return this.#answer;
  }

  #takeCall({ payload, timestamp }: CodexRecord): void {
    const { type, call_id, name, input, action } = payload;
    if (call_id === undefined) return;
    if (type === 'function_call' || type === 'custom_tool_call')
      this.#call(call_id, name ?? 'tool', payload.arguments ?? JSON.stringify({ input }), timestamp);
    if (type === 'local_shell_call') this.#call(call_id, 'shell', action, timestamp);
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      this.#hasResults = true;
      if (this.#draft.outputOf(call_id) === undefined) this.#draft.result(call_id, outputText(payload.output), false);
    }
  }

  /** Calls of one step stand side by side; a call after results belongs to the next step. */
  #call(callId: string, name: string, input: unknown, at: string | undefined): void {
    const node = !this.#answer || this.#hasResults ? this.#nextStep(at) : this.#answer;
    this.#draft.call(node, callId, name, input);
  }

  /** What a command printed, without what is added for the model. */
  #takeExecution({ item }: CodexPayload): void {
    if (item?.type !== 'CommandExecution' || item.id === undefined) return;
    this.#draft.result(item.id, item.aggregated_output ?? '', (item.exit_code ?? 0) !== 0);
  }

  #rollBack(turns: number): void {
    let node = this.#draft.last;
    for (let left = turns; left > 0 && node; node = node.parent) if (node.role === 'user') left -= 1;
    this.#answer = null;
    this.#draft.alias(this.#nextId(), node);
  }

  #nextId(): string {
    this.#number += 1;
    return `record ${this.#number}`;
  }
}

function reasoningOf({ item }: CodexPayload): string | null {
  return item?.type === 'Reasoning' ? (item.summary_text ?? []).join('\n\n') : null;
}
