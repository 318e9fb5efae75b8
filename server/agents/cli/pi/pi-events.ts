import type { TextEvent } from '../../text-agent.ts';
import type { JsonRecord } from '../json-program.ts';
import { numberAt, recordAt, textAt, textOfContent } from '../records.ts';

const NOTHING: readonly TextEvent[] = [];

/** Reads the events of one turn of Pi. Its exit code says nothing about failures; its last message does. */
export class PiEvents {
  readonly #isParleyTool: (name: string) => boolean;
  #hasSpoken = false;
  /** How the last message of the model ended. */
  stopReason = '';
  error = '';

  constructor(isParleyTool: (name: string) => boolean) {
    this.#isParleyTool = isParleyTool;
  }

  read(record: JsonRecord): readonly TextEvent[] {
    switch (record.type) {
      case 'message_update':
        return this.#readPiece(recordAt(record, 'assistantMessageEvent'));
      case 'message_end':
        return this.#readMessage(recordAt(record, 'message'));
      case 'tool_execution_start':
      case 'tool_execution_update':
      case 'tool_execution_end':
        return this.#isParleyTool(textAt(record, 'toolName') ?? '') ? NOTHING : readCall(record);
      case 'auto_retry_start':
        return [{ type: 'retry', code: 'model_unreachable', waitMs: numberAt(record, 'delayMs') }];
      default:
        return NOTHING;
    }
  }

  #readPiece(event: JsonRecord | undefined): readonly TextEvent[] {
    const text = textAt(event, 'delta');
    if (event?.type === 'text_start') return this.#newMessage();
    if (event?.type === 'text_delta' && text) return [{ type: 'text', text }];
    return event?.type === 'thinking_delta' && text ? [{ type: 'reasoning', text }] : NOTHING;
  }

  #newMessage(): readonly TextEvent[] {
    const isFirst = !this.#hasSpoken;
    this.#hasSpoken = true;
    return isFirst ? NOTHING : [{ type: 'new_message' }];
  }

  #readMessage(message: JsonRecord | undefined): readonly TextEvent[] {
    if (message?.role !== 'assistant') return NOTHING;
    this.stopReason = textAt(message, 'stopReason') ?? '';
    this.error = textAt(message, 'errorMessage') ?? '';
    const usage = recordAt(message, 'usage');
    const cached = numberAt(usage, 'cacheRead');
    const cost = numberAt(recordAt(usage, 'cost'), 'total');
    const inputTokens = numberAt(usage, 'input') + numberAt(usage, 'cacheWrite') + cached;
    const counted = { inputTokens, outputTokens: numberAt(usage, 'output') };
    return [
      { type: 'usage', usage: { ...counted, ...(cached && { cachedInputTokens: cached }), ...(cost && { cost }) } },
    ];
  }
}

function readCall(record: JsonRecord): readonly TextEvent[] {
  const callId = textAt(record, 'toolCallId') ?? '';
  switch (record.type) {
    case 'tool_execution_start':
      return [
        {
          type: 'tool_started',
          callId,
          name: textAt(record, 'toolName') ?? '',
          input: JSON.stringify(record.args ?? {}),
        },
      ];
    case 'tool_execution_update': {
      // All of the output so far, every time.
      const text = textOfContent(recordAt(record, 'partialResult')?.content);
      return text === '' ? NOTHING : [{ type: 'tool_progress', callId, text: text.slice(-MOST_PROGRESS) }];
    }
    default: {
      const output = textOfContent(recordAt(record, 'result')?.content);
      return [{ type: 'tool_ended', callId, output, isError: record.isError === true }];
    }
  }
}

const MOST_PROGRESS = 500;
