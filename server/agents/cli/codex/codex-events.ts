import type { PlanEntry } from '../../../../contract/events.ts';
import type { TextEvent } from '../../text-agent.ts';
import type { JsonRecord } from '../json-program.ts';
import { numberAt, recordAt, recordsAt, textAt, textOfContent } from '../records.ts';

const NOTHING: readonly TextEvent[] = [];
const PLAN_STATES: Readonly<Record<string, PlanEntry['state']>> = { inProgress: 'running', completed: 'complete' };

/** Reads the notifications of one turn of `codex app-server` as events. */
export class CodexEvents {
  #hasSpoken = false;

  read(method: string, params: JsonRecord): readonly TextEvent[] {
    const item = recordAt(params, 'item') ?? {};
    switch (method) {
      case 'item/agentMessage/delta':
        return said('text', textAt(params, 'delta'));
      case 'item/reasoning/summaryTextDelta':
      case 'item/reasoning/textDelta':
        return said('reasoning', textAt(params, 'delta'));
      case 'item/started':
        return this.#started(item);
      case 'item/commandExecution/outputDelta':
        return progress(textAt(params, 'itemId'), textAt(params, 'delta'));
      case 'item/completed':
        return ended(item);
      case 'turn/plan/updated':
        return [{ type: 'plan', entries: recordsAt(params, 'plan').map(toEntry) }];
      case 'thread/tokenUsage/updated':
        return usage(recordAt(recordAt(params, 'tokenUsage'), 'last'));
      default:
        return NOTHING;
    }
  }

  #started(item: JsonRecord): readonly TextEvent[] {
    const callId = textAt(item, 'id') ?? '';
    if (item.type === 'agentMessage') return this.#newMessage();
    const call = callOf(item);
    return call ? [{ type: 'tool_started', callId, ...call }] : NOTHING;
  }

  #newMessage(): readonly TextEvent[] {
    const isFirst = !this.#hasSpoken;
    this.#hasSpoken = true;
    return isFirst ? NOTHING : [{ type: 'new_message' }];
  }
}

function said(type: 'text' | 'reasoning', text: string | undefined): readonly TextEvent[] {
  return text ? [{ type, text }] : NOTHING;
}

function progress(callId: string | undefined, text: string | undefined): readonly TextEvent[] {
  return callId && text ? [{ type: 'tool_progress', callId, text }] : NOTHING;
}

/** What an item does, when it is a tool. Parley shows its own tools itself. */
function callOf(item: JsonRecord): { name: string; input: string } | null {
  switch (item.type) {
    case 'commandExecution':
      return { name: 'shell', input: JSON.stringify({ command: item.command, cwd: item.cwd }) };
    case 'fileChange':
      return { name: 'apply_patch', input: JSON.stringify({ changes: item.changes }) };
    case 'mcpToolCall':
      if (item.server === 'parley') return null;
      return { name: `${item.server}_${item.tool}`, input: JSON.stringify(item.arguments ?? {}) };
    case 'webSearch':
      return { name: 'web_search', input: JSON.stringify({ query: item.query }) };
    case 'collabAgentToolCall':
      return { name: String(item.tool ?? 'agent'), input: JSON.stringify({ prompt: item.prompt ?? null }) };
    default:
      return null;
  }
}

function ended(item: JsonRecord): readonly TextEvent[] {
  if (callOf(item) === null) return NOTHING;
  const isError = ['failed', 'declined'].includes(textAt(item, 'status') ?? '') || numberAt(item, 'exitCode') !== 0;
  return [{ type: 'tool_ended', callId: textAt(item, 'id') ?? '', output: outputOf(item), isError }];
}

function outputOf(item: JsonRecord): string {
  switch (item.type) {
    case 'commandExecution':
      return textAt(item, 'aggregatedOutput') ?? `[${textAt(item, 'status') ?? 'ended'}]`;
    case 'mcpToolCall':
      return textOfContent(recordAt(item, 'result')?.content) || (textAt(recordAt(item, 'error'), 'message') ?? '');
    default:
      return `[${textAt(item, 'status') ?? 'completed'}]`;
  }
}

function toEntry(step: JsonRecord): PlanEntry {
  return { text: textAt(step, 'step') ?? '', state: PLAN_STATES[textAt(step, 'status') ?? ''] ?? 'pending' };
}

function usage(last: JsonRecord | undefined): readonly TextEvent[] {
  if (!last) return NOTHING;
  const cached = numberAt(last, 'cachedInputTokens');
  const reasoning = numberAt(last, 'reasoningOutputTokens');
  const counted = { inputTokens: numberAt(last, 'inputTokens'), outputTokens: numberAt(last, 'outputTokens') };
  const more = {
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  };
  return [{ type: 'usage', usage: { ...counted, ...more } }];
}
