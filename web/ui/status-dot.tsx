import { createContext, useContext } from 'react';
import type { SessionStatus } from '../../contract/sessions.ts';
import type { ToolCallState } from '../../contract/tools.ts';
import { useText } from '../i18n/text.ts';

/** What became of a tool call, in the same signs. */
export const CALL_DOTS: Readonly<Record<ToolCallState, SessionStatus>> = {
  waiting: 'waiting',
  running: 'working',
  complete: 'completed',
  failed: 'error',
  rejected: 'error',
  denied: 'error',
  cancelled: 'paused',
  interrupted: 'paused',
};

/** Shape, colour and words: never colour alone. Only `working` moves. */
export function StatusDot({ status: known, label }: { status: SessionStatus; label?: string }) {
  const text = useText();
  const status = useShownStatus(known);
  return (
    <svg className="size-2.5 flex-none overflow-visible" viewBox="-5 -5 10 10" role="img">
      <title>{label ?? text(`status.${status}`)}</title>
      <Shape status={status} />
    </svg>
  );
}

/** Without a connection it is unknown whether work goes on. */
export function useShownStatus(status: SessionStatus): SessionStatus {
  return useContext(IsOffline) && status === 'working' ? 'connecting' : status;
}

function Shape({ status }: { status: SessionStatus }) {
  const color = `var(--st-${status})`;
  switch (status) {
    case 'idle':
      return <circle r="3.6" fill="none" stroke={color} strokeWidth="1.5" />;
    case 'connecting':
      return (
        <>
          <circle r="4" fill="none" stroke={color} strokeWidth="1.5" />
          <path d="M0-4A4 4 0 0 1 0 4Z" fill={color} />
        </>
      );
    case 'active':
      return <circle r="4" fill={color} />;
    case 'working':
      return (
        <>
          <circle r="4" fill={color} className="animate-ping [animation-duration:1.6s]" />
          <circle r="4" fill={color} />
        </>
      );
    case 'waiting':
      return (
        <>
          <circle r="4" fill="none" stroke={color} strokeWidth="1.5" />
          <circle r="1.6" fill={color} />
        </>
      );
    case 'completed':
      return (
        <path
          d="M-3.5.3-1 2.8 3.6-2.6"
          fill="none"
          stroke={color}
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      );
    case 'error':
      return <path d="M-3.2-3.2 3.2 3.2M3.2-3.2-3.2 3.2" stroke={color} strokeWidth="1.8" strokeLinecap="round" />;
    case 'paused':
      return <path d="M-2-3.4V3.4M2-3.4V3.4" stroke={color} strokeWidth="1.8" strokeLinecap="round" />;
    default:
      return status satisfies never;
  }
}

/** Whether the server cannot be reached: what is shown of work under way is then only the last that was heard of it. */
export const IsOffline = createContext(false);
