import { randomUUID } from 'node:crypto';
import type { ToolRisk } from '../../../../contract/tools.ts';
import type { AgentEnd } from '../../agent.ts';
import type { OwnCall } from '../../host-requests.ts';
import { type Opening, StateLost, type TextConversation, type TextEvent } from '../../text-agent.ts';
import {
  type Borrowed,
  borrow,
  type CliContext,
  prepare,
  programFailure,
  programOptions,
  toFailure,
} from '../context.ts';
import { diffOf } from '../diff.ts';
import { type JsonRecord, ProgramEnded, variantOf } from '../json-program.ts';
import { recordAt, recordsAt, textAt } from '../records.ts';
import { writeExtension } from './extension.ts';
import { ParleyTools } from './parley-tools.ts';
import { PiEvents } from './pi-events.ts';
import { PiProgram, PiRefusal } from './pi-program.ts';

/** Opens a conversation with Pi: with the program that holds it already, or with a new one. */
export async function openPi(context: CliContext, opening: Opening): Promise<TextConversation> {
  const { settings } = context.agent;
  const extension = await writeExtension(context.deps.home);
  const args = [
    ...['--mode', 'rpc', '--append-system-prompt', opening.instructions],
    ...(opening.turn.textOnly ? ['--no-tools'] : ['--extension', extension]),
    ...(settings.model === '' ? [] : ['--model', settings.model]),
    ...(settings.reasoningEffort ? ['--thinking', thinking(settings.reasoningEffort)] : []),
  ];
  const options = await programOptions(context, opening, args);
  const variant = variantOf(options);
  const borrowed = await borrow(context, opening, variant, () => {
    const conversation = opening.state ?? randomUUID();
    const own = [opening.state === null ? '--session-id' : '--session', conversation];
    return PiProgram.start({ ...options, args: [...args, ...own, ...settings.args] }, variant, conversation);
  });
  const tools = new ParleyTools(opening.host.toolEndpoint());
  borrowed.program.answer = (kind, value) => answerExtension(opening, tools, options.cwd ?? '', kind, value);
  await prepare(context, opening, borrowed, makeReady(borrowed, opening));
  return new PiConversation(context, opening, borrowed, tools);
}

function thinking(level: string): string {
  return level === 'none' ? 'off' : level;
}

async function makeReady({ program }: Borrowed<PiProgram>, { state }: Opening): Promise<void> {
  try {
    program.records.clear();
    await program.command('get_state');
  } catch (error) {
    const isGone = error instanceof ProgramEnded && /no session found/i.test(`${error.stderr} ${error.message}`);
    throw state !== null && isGone ? new StateLost() : error;
  }
}

/** Pi's extension asks for Parley's tools, calls one, or wants to use a tool of Pi. */
async function answerExtension(
  { host, signal }: Opening,
  tools: ParleyTools,
  folder: string,
  kind: string,
  value: JsonRecord,
): Promise<unknown> {
  switch (kind) {
    case 'tools':
      return host.tools.offered;
    case 'call':
      return tools.call(textAt(value, 'name') ?? '', recordAt(value, 'input') ?? {}, signal);
    case 'approve': {
      const { input, ...permission } = { input: undefined, ...(await host.approve(toCall(value, folder))) };
      return { ...permission, ...(input !== undefined && { input: JSON.parse(input) }) };
    }
    default:
      return null;
  }
}

const RISKS: Readonly<Record<string, ToolRisk>> = {
  read: 'read',
  grep: 'read',
  find: 'read',
  ls: 'read',
  write: 'write',
  edit: 'write',
};

function toCall(value: JsonRecord, folder: string): OwnCall {
  const name = textAt(value, 'name') ?? '';
  const input = recordAt(value, 'input') ?? {};
  const result = diffOfEdit(name, input);
  return {
    callId: textAt(value, 'callId') ?? name,
    name,
    input: JSON.stringify(input),
    risk: RISKS[name] ?? 'execute',
    folder,
    ...(result !== undefined && { result }),
  };
}

function diffOfEdit(name: string, input: JsonRecord): string | undefined {
  const file = textAt(input, 'path') ?? '';
  if (name === 'write') return diffOf(file, '', textAt(input, 'content') ?? '');
  if (name !== 'edit') return undefined;
  const edits = [input, ...recordsAt(input, 'edits')].filter((edit) => typeof edit.newText === 'string');
  return edits.map((edit) => diffOf(file, textAt(edit, 'oldText') ?? '', textAt(edit, 'newText') ?? '')).join('\n');
}

class PiConversation implements TextConversation {
  readonly #context: CliContext;
  readonly #opening: Opening;
  readonly #borrowed: Borrowed<PiProgram>;
  readonly #tools: ParleyTools;
  #hasState = false;

  constructor(context: CliContext, opening: Opening, borrowed: Borrowed<PiProgram>, tools: ParleyTools) {
    this.#context = context;
    this.#opening = opening;
    this.#borrowed = borrowed;
    this.#tools = tools;
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const { program } = this.#borrowed;
    const { offered } = this.#opening.host.tools;
    const events = new PiEvents((name) => offered.some((tool) => tool.name === name));
    try {
      await program.command('prompt', { message: text });
      if (!this.#hasState) yield this.#noteState();
      for (;;) {
        const record = await program.records.take();
        yield* events.read(record);
        if (isOver(record)) return this.#toEnd(events);
      }
    } catch (error) {
      if (error instanceof PiRefusal) throw programFailure(this.#context.agent, error.message);
      throw toFailure(this.#context.agent, error);
    }
  }

  async steer(text: string): Promise<boolean> {
    return this.#borrowed.program.command('steer', { message: text }).then(
      () => true,
      () => false,
    );
  }

  async interrupt(): Promise<void> {
    await this.#borrowed.program.command('abort');
  }

  async close(broken: boolean): Promise<void> {
    this.#borrowed.program.answer = null;
    await Promise.all([this.#tools.close(), this.#borrowed.giveBack(broken)]);
  }

  #noteState(): TextEvent {
    this.#hasState = true;
    return { type: 'state', token: this.#borrowed.program.conversation };
  }

  #toEnd({ stopReason, error }: PiEvents): AgentEnd {
    if (stopReason === 'aborted') return { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
    if (stopReason !== 'error')
      return { type: 'end', reason: 'complete', stopReason: stopReason === 'length' ? 'length' : 'stop' };
    const failed = programFailure(this.#context.agent, error || 'the request to the model failed');
    return { type: 'end', reason: 'failed', stopReason: 'error', error: failed.error };
  }
}

/** Older versions say `agent_end` only; in newer ones it may be followed by another attempt. */
function isOver(record: JsonRecord): boolean {
  return record.type === 'agent_settled' || (record.type === 'agent_end' && record.willRetry === undefined);
}
