import { useState } from 'react';
import type { AnsweredQuestion } from '../../../contract/tools.ts';
import { markUnseenCharacters } from '../../../contract/unseen-characters.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { useSlots } from '../../state/slots.tsx';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { type AskedQuestion, readQuestion, shortInput } from '../../ui/tool-input.ts';
import { CallReceipt } from './call-group.tsx';
import { OpenedSession } from './opened-session.tsx';
import type { ShownCall } from './shown-parts.ts';

const DelegationCall = lazyPart(async () => (await import('./delegation-call.tsx')).DelegationCall, {
  failed: Receipt,
});
const CallInput = lazyPart(async () => (await import('../../ui/call-input.tsx')).CallInput, { failed: PlainInput });

/** A tool call as one line that opens. While it waits for the person, what it asks stands in its place. */
export function ToolRow({ call }: { call: ShownCall }) {
  if (call.actionId !== null) return <ActionOfCall actionId={call.actionId} />;
  return (
    <>
      {call.name === 'agents_message' ? <DelegationCall call={call} /> : <Receipt call={call} />}
      {call.answers.map((answer) => (
        <Answered key={answer.question} answer={answer} />
      ))}
    </>
  );
}

/** What a tool call waits for, where the call stands. */
export function ActionOfCall({ actionId }: { actionId: string }) {
  const { ActionCard } = useSlots();
  const action = useLive((state) => state.actions.get(actionId));
  return action ? <ActionCard action={action} /> : null;
}

/** The arguments without their layout. */
function PlainInput({ input }: { input: string }) {
  return <pre className="font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">{markUnseenCharacters(input)}</pre>;
}

export function Receipt({ call }: { call: ShownCall }) {
  const { id, input, progress } = call;
  const asked = askedBy(call);
  if (asked)
    return (
      <CallReceipt call={call} summary="">
        {asked.fields.length > 0 && <Fields of={asked} />}
      </CallReceipt>
    );
  return (
    <CallReceipt
      call={call}
      summary={markUnseenCharacters(progress ?? shortInput(input))}
      below={<OpenedSession callId={id} />}
    >
      {shortInput(input) !== '' && <CallInput input={input} isExpanded />}
      <Output call={call} />
    </CallReceipt>
  );
}

/** The question of a call that was answered: both stand under the row, where what the tool gave back would say it as JSON. */
function askedBy({ name, input, answers }: ShownCall): AskedQuestion | null {
  return name === 'ask_user' && answers.length > 0 ? readQuestion(input) : null;
}

function Fields({ of: { fields } }: { of: AskedQuestion }) {
  return (
    <ul className="list-disc ps-4 text-fg-2">
      {fields.map(({ name, label, options }) => (
        <li key={name} dir="auto">
          {markUnseenCharacters([label, options.join(', ')].filter((words) => words !== '').join(': '), 'prose')}
        </li>
      ))}
    </ul>
  );
}

function Output({ call: { id, output, isCut } }: { call: ShownCall }) {
  if (output === null) return null;
  return (
    <>
      <pre className="max-h-80 overflow-auto border-line font-mono break-words whitespace-pre-wrap text-fg not-first:border-t not-first:pt-2">
        {markUnseenCharacters(output)}
      </pre>
      {isCut && <WholeOutput callId={id} />}
    </>
  );
}

/** What the person said when the call asked them. */
function Answered({ answer }: { answer: AnsweredQuestion }) {
  const text = useText();
  const { question, declined } = answer;
  return (
    <div className="my-1.5 border-l-2 border-line-strong pl-3 text-xs">
      <p className="whitespace-pre-wrap text-fg-3">{markUnseenCharacters(question, 'prose')}</p>
      <p className="whitespace-pre-wrap text-fg">
        {declined ? text('tool.declined') : text('tool.answered', { answer: wordsOf(answer, text) })}
      </p>
    </div>
  );
}

function wordsOf({ text: words, values }: AnsweredQuestion, text: ReturnType<typeof useText>): string {
  if (values.length === 0) return words ?? '';
  const named = values.map(({ label, value }) => [label, valueText(value, text)] as const);
  return named.length === 1 ? named[0]![1] : named.map(([label, value]) => `${label}: ${value}`).join(' · ');
}

function valueText(value: AnsweredQuestion['values'][number]['value'], text: ReturnType<typeof useText>): string {
  if (typeof value === 'boolean') return text(value ? 'answer.yes' : 'answer.no');
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The rest of an output that was cut, read when it is asked for. */
function WholeOutput({ callId }: { callId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const [whole, setWhole] = useState<string | null>(null);
  if (whole !== null)
    return <pre className="max-h-[60vh] overflow-auto font-mono whitespace-pre-wrap">{revealHidden(whole)}</pre>;
  return (
    <Button onClick={() => void client.callForText('toolCallOutput', { callId }).then(setWhole)}>
      {text('tool.wholeOutput')}
    </Button>
  );
}
