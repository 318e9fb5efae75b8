import type { Usage } from '../../../../contract/turns.ts';
import type { TextEvent } from '../../text-agent.ts';
import type { JsonRecord } from '../json-program.ts';
import { numberAt, recordAt, recordsAt, textAt, textOfContent } from '../records.ts';
import { ClaudePlan } from './claude-plan.ts';
import { PARLEY_TOOL } from './permissions.ts';

const NOTHING: readonly TextEvent[] = [];

/** Reads the records of one turn of Claude Code as events. */
export class ClaudeEvents {
  readonly #plan = new ClaudePlan();
  /** Calls of Parley's tools, which Parley shows itself. */
  readonly #hidden = new Set<string>();
  #isFirstText = true;
  /** It has said something in the prompt that is being answered. */
  #hasSpoken = false;

  read(record: JsonRecord): readonly TextEvent[] {
    switch (record.type) {
      case 'stream_event':
        return this.#readDelta(record);
      case 'assistant':
        return this.#readCalls(record);
      case 'user':
        return this.#readResults(record);
      case 'system':
        return readSystem(record);
      default:
        return NOTHING;
    }
  }

  /** What the last record of a prompt says besides how it ended. */
  readResult(result: JsonRecord, costBefore: number): TextEvent[] {
    const words = textAt(result, 'result') ?? '';
    const isUnsaid = !this.#hasSpoken && result.is_error !== true && words !== '';
    this.#hasSpoken = false;
    const usage = { type: 'usage', usage: usageOf(result, costBefore) } as const;
    return isUnsaid ? [{ type: 'text', text: words }, usage] : [usage];
  }

  #readDelta(record: JsonRecord): readonly TextEvent[] {
    if (typeof record.parent_tool_use_id === 'string') return NOTHING;
    const event = recordAt(record, 'event');
    if (event?.type === 'content_block_start') return this.#beginBlock(recordAt(event, 'content_block'));
    if (event?.type !== 'content_block_delta') return NOTHING;
    const delta = recordAt(event, 'delta');
    const text = textAt(delta, 'text');
    if (delta?.type === 'text_delta' && text) {
      this.#hasSpoken = true;
      return [{ type: 'text', text }];
    }
    const thought = textAt(delta, 'thinking');
    return delta?.type === 'thinking_delta' && thought ? [{ type: 'reasoning', text: thought }] : NOTHING;
  }

  #beginBlock(block: JsonRecord | undefined): readonly TextEvent[] {
    if (block?.type !== 'text') return NOTHING;
    const isFirst = this.#isFirstText;
    this.#isFirstText = false;
    return isFirst ? NOTHING : [{ type: 'new_message' }];
  }

  #readCalls(record: JsonRecord): TextEvent[] {
    const parent = textAt(record, 'parent_tool_use_id');
    const blocks = recordsAt(recordAt(record, 'message'), 'content').filter(({ type }) => type === 'tool_use');
    return blocks.flatMap((block) => {
      const callId = textAt(block, 'id') ?? '';
      const name = textAt(block, 'name') ?? '';
      const input = recordAt(block, 'input') ?? {};
      return [...progressOf(parent, name), ...this.#call(callId, name, input)];
    });
  }

  #call(callId: string, name: string, input: JsonRecord): TextEvent[] {
    if (PARLEY_TOOL.test(name)) {
      this.#hidden.add(callId);
      return [];
    }
    const plan = this.#plan.called(callId, name, input);
    const started: TextEvent = { type: 'tool_started', callId, name, input: JSON.stringify(input) };
    return plan ? [started, { type: 'plan', entries: plan }] : [started];
  }

  #readResults(record: JsonRecord): TextEvent[] {
    const blocks = recordsAt(recordAt(record, 'message'), 'content').filter(({ type }) => type === 'tool_result');
    return blocks.flatMap((block) => {
      const callId = textAt(block, 'tool_use_id') ?? '';
      if (this.#hidden.delete(callId)) return [];
      const output = textOfContent(block.content);
      const plan = this.#plan.answered(callId, output);
      const ended: TextEvent = { type: 'tool_ended', callId, output, isError: block.is_error === true };
      return plan ? [ended, { type: 'plan' as const, entries: plan }] : [ended];
    });
  }
}

/** What a sub-agent does is said of the call that started it. */
function progressOf(parent: string | undefined, name: string): TextEvent[] {
  return parent === undefined ? [] : [{ type: 'tool_progress', callId: parent, text: name }];
}

function readSystem(record: JsonRecord): readonly TextEvent[] {
  if (record.subtype === 'api_retry') {
    const code = textAt(record, 'error') ?? String(record.error_status ?? 'model_unreachable');
    return [{ type: 'retry', code, waitMs: numberAt(record, 'retry_delay_ms') }];
  }
  if (record.subtype === 'status' && record.status === 'compacting') return [{ type: 'status', text: 'compacting' }];
  return record.subtype === 'compact_boundary' ? [{ type: 'status', text: null }] : NOTHING;
}

/** Claude Code counts the cost of all prompts of its process together. */
function usageOf(result: JsonRecord, costBefore: number): Usage {
  const usage = recordAt(result, 'usage');
  const cached = numberAt(usage, 'cache_read_input_tokens');
  const reasoning = numberAt(recordAt(usage, 'output_tokens_details'), 'thinking_tokens');
  const cost = numberAt(result, 'total_cost_usd') - costBefore;
  return {
    inputTokens: numberAt(usage, 'input_tokens') + numberAt(usage, 'cache_creation_input_tokens') + cached,
    outputTokens: numberAt(usage, 'output_tokens'),
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    ...(cost > 0 && { cost }),
  };
}
