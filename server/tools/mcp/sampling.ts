import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/client';
import type { ToolContext } from '../tool.ts';
import { ServerFailure } from './failure.ts';

/** A model answer that a server asks for, on behalf of the call it is working on. */
export interface SampleRequest {
  readonly server: string;
  readonly caller: Pick<ToolContext, 'owner' | 'agentId' | 'sessionId' | 'turnId' | 'callId'>;
  readonly system: string | null;
  readonly messages: readonly SampleMessage[];
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly stopSequences: readonly string[];
  readonly signal: AbortSignal;
}

export interface SampleMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface SampleAnswer {
  readonly model: string;
  readonly text: string;
}

export type Sample = (request: SampleRequest) => Promise<SampleAnswer>;

type Params = CreateMessageRequest['params'];

/** Text only, without tools. */
export function toSampleRequest(
  server: string,
  params: Params,
  context: ToolContext,
  signal: AbortSignal,
): SampleRequest {
  if (params.tools?.length) throw new ServerFailure('Sampling with tools is not supported.');
  const { owner, agentId, sessionId, turnId, callId } = context;
  return {
    server,
    caller: { owner, agentId, sessionId, turnId, callId },
    system: params.systemPrompt ?? null,
    messages: params.messages.map(({ role, content }) => ({ role, text: textOf(content) })),
    maxTokens: params.maxTokens,
    temperature: params.temperature ?? null,
    stopSequences: params.stopSequences ?? [],
    signal,
  };
}

export function toSampleResult({ model, text }: SampleAnswer): CreateMessageResult {
  return { model, role: 'assistant', stopReason: 'endTurn', content: { type: 'text', text } };
}

function textOf(content: Params['messages'][number]['content']): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (block.type === 'text' ? block.text : refuse(block.type))).join('\n');
}

function refuse(type: string): never {
  throw new ServerFailure(`Sampling supports text only, not ${type}.`);
}
