import type { SharedPart } from '../../../contract/shares.ts';
import { CallReceipt } from '../../features/conversation/call-receipt.tsx';
import { revealHidden } from '../../markdown/safe-url.ts';
import { prettyInput, shortInput } from '../../ui/tool-input.ts';

type Call = Extract<SharedPart, { type: 'tool_call' }>;

/** That a tool was used. What it was given and gave back only where the person who shared it wanted that shown. */
export function SharedCall({ call }: { call: Call }) {
  const { input, output } = call;
  const hasDetails = input !== undefined || output !== undefined;
  return (
    <CallReceipt call={call} summary={input === undefined ? '' : shortInput(input)}>
      {hasDetails && (
        <>
          {input !== undefined && <Words>{prettyInput(input)}</Words>}
          {output !== undefined && <Words>{output}</Words>}
        </>
      )}
    </CallReceipt>
  );
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
