import { FileImage, FileText } from 'lucide-react';
import type { SharedPart } from '../../../contract/shares.ts';
import { CallGroup, groupCalls } from '../../features/conversation/call-group.tsx';
import { CallReceipt } from '../../features/conversation/call-receipt.tsx';
import { DelegationPill } from '../../features/conversation/message-frame.tsx';
import { TerminalOutput } from '../../features/conversation/terminal-output.tsx';
import { fileSize } from '../../i18n/file-size.ts';
import { useText } from '../../i18n/text.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { revealHidden } from '../../markdown/safe-url.ts';
import { prettyInput, shortInput } from '../../ui/tool-input.ts';

/** An agent's message, part by part; files come last, by their names. */
export function SharedParts({ parts }: { parts: readonly SharedPart[] }) {
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
      return null;
    default:
      return part satisfies never;
  }
}

/** That there were files, not what was in them. */
export function SharedFiles({ parts }: { parts: readonly SharedPart[] }) {
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
