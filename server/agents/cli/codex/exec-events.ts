import type { TextEvent } from '../../text-agent.ts';
import type { JsonRecord } from '../json-program.ts';
import { numberAt, recordAt, recordsAt, textAt, textOfContent } from '../records.ts';

const NOTHING: readonly TextEvent[] = [];

/** Reads the records of one `codex exec --json` as events. */
export class ExecEvents {
  readonly #started = new Set<string>();
  #hasSpoken = false;

  read(record: JsonRecord): readonly TextEvent[] {
    const item = recordAt(record, 'item');
    if (!item) return NOTHING;
    const isOver = record.type === 'item.completed';
    switch (item.type) {
      case 'agent_message':
        return isOver ? this.#say(textAt(item, 'text') ?? '') : NOTHING;
      case 'reasoning':
        return isOver ? [{ type: 'reasoning', text: textAt(item, 'text') ?? '' }] : NOTHING;
      case 'todo_list':
        return [{ type: 'plan', entries: recordsAt(item, 'items').map(toEntry) }];
      case 'command_execution':
      case 'file_change':
      case 'mcp_tool_call':
      case 'web_search':
        return this.#call(item, isOver);
      default:
        return NOTHING;
    }
  }

  readUsage(usage: JsonRecord | undefined): TextEvent[] {
    const cached = numberAt(usage, 'cached_input_tokens');
    const counted = { inputTokens: numberAt(usage, 'input_tokens'), outputTokens: numberAt(usage, 'output_tokens') };
    return [{ type: 'usage', usage: { ...counted, ...(cached > 0 && { cachedInputTokens: cached }) } }];
  }

  #say(text: string): readonly TextEvent[] {
    const isFirst = !this.#hasSpoken;
    this.#hasSpoken = true;
    return isFirst ? [{ type: 'text', text }] : [{ type: 'new_message' }, { type: 'text', text }];
  }

  #call(item: JsonRecord, isOver: boolean): TextEvent[] {
    const callId = textAt(item, 'id') ?? '';
    const events: TextEvent[] = [];
    if (!this.#started.has(callId)) {
      this.#started.add(callId);
      const { id: _, type, aggregated_output: __, ...input } = item;
      events.push({ type: 'tool_started', callId, name: nameOf(item), input: JSON.stringify(input) });
    }
    if (isOver) events.push({ type: 'tool_ended', callId, output: outputOf(item), isError: hasFailed(item) });
    return events;
  }
}

function nameOf(item: JsonRecord): string {
  switch (item.type) {
    case 'command_execution':
      return 'shell';
    case 'file_change':
      return 'apply_patch';
    case 'mcp_tool_call':
      return `${item.server}_${item.tool}`;
    default:
      return 'web_search';
  }
}

function outputOf(item: JsonRecord): string {
  const result = textOfContent(recordAt(item, 'result')?.content);
  return textAt(item, 'aggregated_output') ?? (result || `[${textAt(item, 'status') ?? 'completed'}]`);
}

function hasFailed(item: JsonRecord): boolean {
  return ['failed', 'declined'].includes(textAt(item, 'status') ?? '') || numberAt(item, 'exit_code') !== 0;
}

function toEntry(todo: JsonRecord) {
  return { text: textAt(todo, 'text') ?? '', state: todo.completed === true ? 'complete' : 'pending' } as const;
}
