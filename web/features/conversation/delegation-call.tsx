import { Link } from '@tanstack/react-router';
import { useContext } from 'react';
import { duration } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { useAgent, useAgentName } from '../../live/use-agents.ts';
import { useLive } from '../../live/use-live.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { useWaitsForYou, useWorkLine } from '../../state/use-activity.ts';
import { AgentTile, agentStyle } from '../../ui/agent-tile.tsx';
import { CALL_DOTS, StatusDot } from '../../ui/status-dot.tsx';
import { DelegationPill } from './message-frame.tsx';
import { ConversationId, delegationOf } from './opened-session.tsx';
import type { ShownCall } from './shown-parts.ts';

/** Work that an agent gave another with `agents_message`: the amber banner, and what came of it in the amber frame. */
export function DelegationCall({ call }: { call: ShownCall }) {
  const text = useText();
  const here = useContext(ConversationId);
  const delegation = useLive(({ states }) => delegationOf(states.get(here)?.delegations, call.id));
  const asked = readAsked(call.input);
  const result = readResult(call.output);
  const agentId = delegation?.to ?? asked.agentId;
  const agent = useAgent(agentId);
  const from = useAgentName(delegation?.from ?? null);
  const name = useAgentName(agentId);
  const sessionId = delegation?.sessionId ?? result.sessionId;
  return (
    <>
      <DelegationPill>{text('conversation.delegating', { name, task: asked.content })}</DelegationPill>
      <article aria-label={name} className="agent sub-agent" style={agentStyle(agentId, agent)}>
        <header className="mb-1 flex flex-wrap items-center gap-2 text-xs text-fg-3">
          <AgentTile agentId={agentId} agent={agent} />
          <b className="font-semibold text-agent">{name}</b>
          {delegation && <span>{text('conversation.subAgentOf', { name: from })}</span>}
          {sessionId && sessionId !== here && (
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId }}
              className="ml-auto inline-flex min-h-6 items-center justify-end touch:min-h-11 touch:min-w-11 text-link underline underline-offset-2"
            >
              {text('conversation.openSession')}
            </Link>
          )}
        </header>
        <Outcome
          call={call}
          result={result}
          sessionId={sessionId}
          agentId={agentId}
          isWorking={delegation?.state === 'started'}
        />
      </article>
    </>
  );
}

interface OutcomeProps {
  call: ShownCall;
  result: Result;
  sessionId: string | undefined;
  agentId: string;
  /** The delegate is at work, also after the call that asked for it has returned. */
  isWorking: boolean;
}

function Outcome({ call, result, sessionId, agentId, isWorking }: OutcomeProps) {
  const text = useText();
  const doing = useWorkLine(sessionId ?? '', agentId);
  const isDelegateWaiting = useWaitsForYou(sessionId ?? '', agentId);
  const isWaiting = isDelegateWaiting || call.state === 'waiting';
  const isOpen = call.state === 'running' || call.state === 'waiting';
  if (isOpen || isWorking)
    return (
      <p className="flex items-center gap-2 pb-2 text-xs text-fg-2">
        <StatusDot status={isWaiting ? 'waiting' : 'working'} />
        {isWaiting ? text('tool.waiting') : doing}
      </p>
    );
  return (
    <>
      {result.response && <Markdown text={result.response} />}
      <p className="flex flex-wrap items-center gap-2 pb-2 text-xs text-fg-3">
        <StatusDot status={CALL_DOTS[call.state]} label={text(`tool.${call.state}`)} />
        {result.problem && <span className="break-words text-danger">{result.problem}</span>}
        {result.toolCount > 0 && <span>{text('tool.used', { count: result.toolCount })}</span>}
        {call.durationMs !== null && <span>{duration(call.durationMs)}</span>}
      </p>
    </>
  );
}

interface Asked {
  agentId: string;
  content: string;
}

function readAsked(input: string): Asked {
  const { agentId, content } = readObject(input);
  return { agentId: asText(agentId) ?? '', content: asText(content) ?? '' };
}

interface Result {
  response: string | undefined;
  problem: string | undefined;
  sessionId: string | undefined;
  toolCount: number;
}

/** What `agents_message` returns, or the words of why the call was not carried out. */
function readResult(output: string | null): Result {
  const read = readObject(output ?? '');
  const isReport = typeof read.status === 'string';
  return {
    response: asText(read.response),
    problem: isReport ? asText(read.message) : (output ?? undefined),
    sessionId: asText(read.sessionId),
    toolCount: typeof read.toolCallCount === 'number' ? read.toolCallCount : 0,
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
