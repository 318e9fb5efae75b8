import type { ContentBlock, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import type { TextEvent } from '../text-agent.ts';

/** Everything but tool calls. */
export type Said = Exclude<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>;

/** What a program says while it answers a prompt, as an event of the turn; null where the turn need not know. */
export function readUpdate(update: Said): TextEvent | null {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return readContent(update.content);
    case 'agent_thought_chunk':
      return update.content.type === 'text' ? { type: 'reasoning', text: update.content.text } : null;
    case 'plan':
      return { type: 'plan', entries: update.entries.map(toPlanEntry) };
    case 'notice':
      return { type: 'status', text: update.title };
    case 'user_message_chunk':
    case 'available_commands_update':
    case 'current_mode_update':
    case 'config_option_update':
    case 'session_info_update':
    case 'usage_update':
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return null;
    default:
      update satisfies never;
      // A program may be newer than this list.
      return null;
  }
}

function readContent(content: ContentBlock): TextEvent {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
    case 'audio':
      return {
        type: 'artifact',
        name: fileNameOf(content),
        mediaType: content.mimeType,
        content: Buffer.from(content.data, 'base64'),
      };
    case 'resource_link':
      return { type: 'text', text: `[${content.title ?? content.name}](${content.uri})` };
    case 'resource':
      return { type: 'text', text: 'text' in content.resource ? content.resource.text : content.resource.uri };
    default:
      return content satisfies never;
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
