import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { ToolFailure } from '../tool.ts';
import type { Call } from './call.ts';
import { describeFailure } from './failure.ts';
import { NO_ANSWER } from './http-transport.ts';
import { plainText } from './plain-text.ts';

export interface FailedCall {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number;
  /** How the connection ended, when it did. */
  readonly ending: string | undefined;
}

/** What an agent is told of a call that came to no result. A stopped turn gets its own reason back. */
export function callFailure({ server, tool, timeoutMs, ending }: FailedCall, call: Call, error: unknown): unknown {
  if (call.context.signal.aborted) return call.context.signal.reason;
  if (call.ended === 'timed-out') {
    return new ToolFailure(
      `${tool} of ${server} did not respond for ${timeoutMs / 1000} s and was stopped.`,
      'timed_out',
    );
  }
  const end = endOf(error, ending);
  if (end !== undefined) {
    const unknown = 'It is unknown whether the tool finished.';
    return new ToolFailure(`${server} exited during the call. ${unknown} ${end}`.trim(), 'mcp_server_failed');
  }
  if (error instanceof ProtocolError) {
    return new ToolFailure(`${server} rejected the call: ${plainText(error.message, 2000)}`, 'mcp_call_refused');
  }
  return new ToolFailure(`Couldn't call ${server}: ${describeFailure(error)}`, 'mcp_server_failed');
}

function endOf(error: unknown, ending = ''): string | undefined {
  if (error instanceof ProtocolError && error.message.startsWith(NO_ANSWER)) return plainText(error.message, 500);
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed ? ending : undefined;
}
