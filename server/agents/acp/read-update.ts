import type { ContentBlock, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { TextEvent } from '../text-agent.ts';
import type { ToolCalls } from './tool-calls.ts';

/** What a program says while it answers a prompt, as events of the turn. */
export class UpdateReader {
  readonly #calls: ToolCalls;
  readonly #emit: (event: TextEvent) => void;
  #messageId: string | null = null;

  constructor(calls: ToolCalls, emit: (event: TextEvent) => void) {
    this.#calls = calls;
    this.#emit = emit;
  }

  take(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#noteMessage(update.messageId ?? null);
        return this.#show(update.content);
      case 'agent_thought_chunk':
        return this.#think(update.content);
      case 'tool_call':
      case 'tool_call_update':
        return this.#calls.take(update);
      case 'plan':
        return this.#emit({ type: 'plan', entries: update.entries.map(toPlanEntry) });
      case 'notice':
        return this.#emit({ type: 'status', text: update.title });
      case 'user_message_chunk':
      case 'available_commands_update':
      case 'current_mode_update':
      case 'config_option_update':
      case 'session_info_update':
      case 'usage_update':
      case 'compaction_update':
      case 'compaction_summary_chunk':
        return;
      default:
        // A program may be newer than this list.
        return void (update satisfies never);
    }
  }

  #noteMessage(id: string | null): void {
    if (this.#messageId !== null && id !== null && id !== this.#messageId) this.#emit({ type: 'new_message' });
    this.#messageId = id ?? this.#messageId;
  }

  #think(content: ContentBlock): void {
    if (content.type === 'text') this.#emit({ type: 'reasoning', text: content.text });
  }

  #show(content: ContentBlock): void {
    switch (content.type) {
      case 'text':
        return this.#emit({ type: 'text', text: content.text });
      case 'image':
      case 'audio':
        return this.#emit({
          type: 'artifact',
          name: fileNameOf(content),
          mediaType: content.mimeType,
          content: Buffer.from(content.data, 'base64'),
        });
      case 'resource_link':
        return this.#emit({ type: 'text', text: `[${content.title ?? content.name}](${content.uri})` });
      case 'resource':
        return this.#emit({
          type: 'text',
          text: 'text' in content.resource ? content.resource.text : content.resource.uri,
        });
      default:
        return void (content satisfies never);
    }
  }
}

function fileNameOf({ type, mimeType }: { type: string; mimeType: string }): string {
  const ending = /^[\w-]+\/([\w.-]+)/.exec(mimeType)?.[1];
  return ending ? `${type}.${ending}` : type;
}

const PLAN_STATES = { pending: 'pending', in_progress: 'running', completed: 'complete' } as const;

function toPlanEntry({ content, status }: PlanEntry) {
  return { text: content, state: PLAN_STATES[status] };
}
