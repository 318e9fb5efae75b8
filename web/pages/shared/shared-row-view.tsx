import { FileImage, FileText } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { withoutContextLine } from '../../../contract/context-line.ts';
import type { SharedMessage, SharedPart } from '../../../contract/shares.ts';
import { speakerOf } from '../../../contract/speakers.ts';
import { CallGroup, CallReceipt, groupCalls } from '../../features/conversation/call-group.tsx';
import {
  AgentFrame,
  Bubble,
  CutLine,
  DayLine,
  DelegationPill,
  SpeakerBadge,
  WebhookFrame,
} from '../../features/conversation/message-frame.tsx';
import { TerminalOutput } from '../../features/conversation/terminal-output.tsx';
import { clockTime, fileSize } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { revealHidden } from '../../markdown/safe-url.ts';
import { TextBoundary } from '../../markdown/text-boundary.tsx';
import { LookTile, lookStyle } from '../../ui/agent-tile.tsx';
import { prettyInput, shortInput } from '../../ui/tool-input.ts';
import type { SharedRow } from './shared-rows.ts';

export const SharedRowView = memo(function SharedRowView({ row }: { row: SharedRow }) {
  return (
    <>
      {row.day && <DayLine at={row.day} />}
      <TextBoundary text={row.message.text}>
        <Said row={row} />
      </TextBoundary>
    </>
  );
});

function Said({ row }: { row: SharedRow }) {
  const text = useText();
  const { message, subAgentOf } = row;
  if (message.role === 'delegation') return <Delegation message={message} />;
  const speaker = speakerOf(message);
  if (speaker.kind === 'webhook') return <Sent message={message} name={speaker.webhook ?? ''} />;
  if (speaker.kind === 'person') return <Person message={message} />;
  return (
    <Speaker message={message} subAgentOf={subAgentOf}>
      {message.role === 'user' && (
        <p className="mb-1 text-xs text-fg-3">
          {text(speaker.kind === 'task' ? 'conversation.assigned' : 'conversation.sentHere')}
        </p>
      )}
      <SharedParts parts={message.parts} />
      {message.cut && <CutLine reason={message.cut} />}
    </Speaker>
  );
}

/** What came through a webhook. */
function Sent({ message: { createdAt, parts }, name }: { message: SharedMessage; name: string }) {
  const text = useText();
  return (
    <WebhookFrame name={text('conversation.webhook', { name })} at={createdAt}>
      <SharedParts parts={parts} />
    </WebhookFrame>
  );
}

/** The reader is not the person who wrote, so no message is from "you". */
function Person({ message: { createdAt, text: written, parts } }: { message: SharedMessage }) {
  const words = withoutContextLine(written);
  const text = useText();
  const name = text('shared.person');
  return (
    <article aria-label={`${name}, ${clockTime(createdAt)}`} className="mb-4.5 flex flex-col items-end">
      <header className="mb-1 flex items-center gap-2 text-xs text-fg-3">
        <b className="font-semibold text-fg-2">{name}</b>
        <time dateTime={createdAt}>{clockTime(createdAt)}</time>
      </header>
      {words !== '' && <Bubble id={createdAt} words={words} />}
      <SharedFiles parts={parts} />
    </article>
  );
}

interface SpeakerProps {
  message: SharedMessage;
  subAgentOf: string | null;
  children: ReactNode;
}

/** An agent's words under the name and colour it had then. */
function Speaker({ message, subAgentOf, children }: SpeakerProps) {
  const text = useText();
  const { agent, createdAt, guest, look } = message;
  return (
    <AgentFrame
      name={message.name ?? agent ?? text('conversation.assistant')}
      at={createdAt}
      tile={<LookTile look={look} />}
      style={lookStyle(look)}
      subAgentOf={subAgentOf}
      badges={guest && <SpeakerBadge>{text('conversation.guest')}</SpeakerBadge>}
    >
      {children}
    </AgentFrame>
  );
}

function Delegation({ message }: { message: SharedMessage }) {
  const text = useText();
  const part = message.parts.find(({ type }) => type === 'delegation');
  const name = message.name ?? message.agent ?? (part?.type === 'delegation' ? part.to : '');
  const isRefused = part?.type === 'delegation' && part.state === 'refused';
  return (
    <DelegationPill>
      {text(isRefused ? 'shared.refused' : 'conversation.delegating', { name, task: message.text })}
    </DelegationPill>
  );
}

/** An agent's message, part by part; files come last, by their names. */
function SharedParts({ parts }: { parts: readonly SharedPart[] }) {
  return (
    <>
      {groupCalls(parts, canFold).map((part, at) =>
        Array.isArray(part) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a copy do not move
          <CallGroup key={at} names={part.map(({ name }) => name)}>
            {part.map((call, number) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a copy do not move
              <SharedCall key={number} call={call} />
            ))}
          </CallGroup>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a copy do not move
          <PartView key={at} part={part} />
        ),
      )}
      <SharedFiles parts={parts} />
    </>
  );
}

type CallPart = Extract<SharedPart, { type: 'tool_call' }>;

/** As in the conversation: what failed and what an agent was given to do stay in sight. */
function canFold(part: SharedPart): part is CallPart {
  return part.type === 'tool_call' && part.state === 'complete' && part.name !== 'agents_message';
}

function PartView({ part }: { part: SharedPart }) {
  switch (part.type) {
    case 'text':
      return part.isOutput ? <TerminalOutput text={part.text} /> : <Markdown text={part.text} />;
    case 'tool_call':
      return <SharedCall call={part} />;
    case 'file':
    case 'delegation':
    case 'webhook':
      return null;
    default:
      return part satisfies never;
  }
}

/** That there were files, not what was in them. */
function SharedFiles({ parts }: { parts: readonly SharedPart[] }) {
  const text = useText();
  const files = parts.filter((part) => part.type === 'file');
  if (files.length === 0) return null;
  return (
    <ul aria-label={text('composer.attachments')} className="mt-1.5 flex max-w-full flex-wrap gap-1.5">
      {files.map(({ name, kind, bytes }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a copy do not move
        <li key={at} className="flex h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2">
          <FileIcon kind={kind} />
          <span dir="auto" className="min-w-0 truncate">
            {name}
          </span>
          <span className="flex-none text-2xs text-fg-3">{fileSize(bytes)}</span>
        </li>
      ))}
    </ul>
  );
}

function FileIcon({ kind }: { kind: string }) {
  const Icon = kind === 'image' ? FileImage : FileText;
  return <Icon size={14} className="flex-none text-fg-3" aria-hidden="true" />;
}

type Call = Extract<SharedPart, { type: 'tool_call' }>;

/** That a tool was used. What it was given and gave back only where the person who shared it wanted that shown. */
function SharedCall({ call }: { call: Call }) {
  const text = useText();
  const { input, output } = call;
  const isDelegation = call.name === 'agents_message' && !hasDetails(call);
  if (isDelegation && call.state === 'complete') return <DelegationPill>{text('shared.delegated')}</DelegationPill>;
  return (
    <CallReceipt
      call={isDelegation ? { ...call, name: text('shared.delegated') } : call}
      summary={input === undefined ? '' : shortInput(input)}
    >
      {hasDetails(call) && (
        <>
          {input !== undefined && <Words>{prettyInput(input)}</Words>}
          {output !== undefined && <Words>{output}</Words>}
        </>
      )}
    </CallReceipt>
  );
}

function hasDetails({ input, output }: Call): boolean {
  return input !== undefined || output !== undefined;
}

function Words({ children }: { children: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-80 overflow-auto border-line font-mono whitespace-pre-wrap text-fg-2 not-first:border-t not-first:pt-2 print:max-h-none"
    >
      {revealHidden(children)}
    </pre>
  );
}
