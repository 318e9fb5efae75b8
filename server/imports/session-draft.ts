import { isJsonTooDeep } from '../../contract/json-depth.ts';
import type { Part } from '../../contract/messages.ts';
import type { ExportedSession } from '../../contract/sessions.ts';
import { cut } from './cut.ts';
import { draftMessages } from './draft-messages.ts';

/** Of one output or one piece of reasoning. */
const MAX_OUTPUT = 100_000;
const MAX_INPUT = 100_000;

export interface DraftLimits {
  /** Of the text of one message. */
  readonly messageBytes: number;
  readonly messages: number;
}

/** One record of a program that is shown: what the person said, or what one request to the model brought. */
export interface DraftNode {
  readonly parent: DraftNode | null;
  readonly role: 'user' | 'assistant';
  readonly at: string;
  readonly parts: Part[];
  interrupted: boolean;
  children: number;
}

interface DraftCall {
  readonly node: DraftNode;
  readonly part: Extract<Part, { type: 'tool_call' }>;
  result: Extract<Part, { type: 'tool_result' }> | null;
}

/** Up to which record an earlier part of the conversation is summarised. */
export interface DraftSummary {
  readonly upTo: DraftNode;
  readonly summary: string;
  readonly at: string;
}

/**
 * What a program's records say, as a tree. Records name the record they follow, which comes before them in the file; one
 * that is not shown stands for the record it follows.
 */
export class SessionDraft {
  readonly #limits: DraftLimits;
  readonly #byId = new Map<string, DraftNode | null>();
  readonly #nodes: DraftNode[] = [];
  readonly #calls = new Map<string, DraftCall>();
  readonly #summaries: DraftSummary[] = [];
  #at: string;
  #last: DraftNode | null = null;

  constructor(limits: DraftLimits, beganAt: string) {
    this.#limits = limits;
    this.#at = beganAt;
  }

  get isFull(): boolean {
    return this.#nodes.length >= this.#limits.messages;
  }

  /** The record that the next one follows where records do not say it themselves. */
  get last(): DraftNode | null {
    return this.#last;
  }

  /** The record of this id, or the shown one it stands for. */
  find(id: string | null | undefined): DraftNode | null {
    return (id != null && this.#byId.get(id)) || null;
  }

  person(id: string, parent: DraftNode | null, at: string | undefined, parts: Part[]): DraftNode {
    return this.#add(id, 'user', parent, at, parts);
  }

  agent(id: string, parent: DraftNode | null, at: string | undefined): DraftNode {
    return this.#add(id, 'assistant', parent, at, []);
  }

  /** Another record of the same node, or one that is not shown. */
  alias(id: string, node: DraftNode | null): void {
    this.#byId.set(id, node);
    this.#last = node;
  }

  text(node: DraftNode, text: string): void {
    if (text.trim() !== '') node.parts.push({ type: 'text', text: cut(text, this.#limits.messageBytes) });
  }

  reasoning(node: DraftNode, text: string): void {
    if (text.trim() !== '') node.parts.push({ type: 'reasoning', text: cut(text, MAX_OUTPUT) });
  }

  call(node: DraftNode, callId: string, name: string, input: unknown): void {
    if (this.#calls.has(callId)) return;
    const part = { type: 'tool_call' as const, callId, name: name.slice(0, 200), input: inputText(input) };
    const written = { ...part, state: 'interrupted' as const, via: 'agent' as const };
    node.parts.push(written);
    this.#calls.set(callId, { node, part: written, result: null });
  }

  /** A later one replaces an earlier one. */
  result(callId: string, output: string, isError: boolean): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    const { name } = call.part;
    call.part.state = isError ? 'failed' : 'complete';
    call.result = { type: 'tool_result', callId, name, output: cut(output, MAX_OUTPUT), isError, via: 'agent' };
  }

  outputOf(callId: string): string | undefined {
    return this.#calls.get(callId)?.result?.output;
  }

  summarise(upTo: DraftNode | null, summary: string, at: string | undefined): void {
    if (upTo && summary.trim() !== '')
      this.#summaries.push({ upTo, summary: cut(summary, this.#limits.messageBytes), at: this.#time(at) });
  }

  /** What was said, with the branch that ends in `head` as the one that is shown. */
  finish(agentId: string, head: DraftNode | null): Pick<ExportedSession, 'messages' | 'compactions'> {
    for (const { node, result } of this.#calls.values()) {
      if (result) node.parts.push(result);
      else node.interrupted = true;
    }
    return draftMessages(this.#nodes, this.#summaries, agentId, head, this.#limits.messageBytes);
  }

  #add(id: string, role: DraftNode['role'], parent: DraftNode | null, at: string | undefined, parts: Part[]) {
    const node: DraftNode = { parent, role, at: this.#time(at), parts, interrupted: false, children: 0 };
    if (parent) parent.children += 1;
    this.#nodes.push(node);
    this.alias(id, node);
    return node;
  }

  #time(at: string | undefined): string {
    const time = at === undefined ? Number.NaN : Date.parse(at);
    if (!Number.isNaN(time)) this.#at = new Date(time).toISOString();
    return this.#at;
  }
}

function inputText(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? '{}');
  if (isJsonTooDeep(text)) return '{}';
  return text.length <= MAX_INPUT ? text : JSON.stringify({ cut: cut(text, MAX_INPUT / 2) });
}
