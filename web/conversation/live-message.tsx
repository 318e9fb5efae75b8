import type { LivePart, LiveTurn } from '../../client/live-turn.ts';
import { useText } from '../i18n/text.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Reasoning } from './reasoning.tsx';
import { Speaker } from './speaker.tsx';
import { ToolRow } from './tool-row.tsx';

/** What is being said and done at this moment. */
export function LiveMessage({ turn, subAgentOf }: { turn: LiveTurn; subAgentOf: string | null }) {
  const text = useText();
  const last = turn.parts.at(-1);
  return (
    <Speaker agentId={turn.agentId} guest={turn.guest} subAgentOf={subAgentOf} busy>
      {turn.parts.map((part) => (
        <LivePartView key={part.part} part={part} isLast={part === last} />
      ))}
      {turn.parts.length === 0 && <p className="text-fg-3">{text('conversation.thinking')}</p>}
      {last?.kind !== 'call' && (
        <span aria-hidden="true" className="ml-0.5 inline-block h-3.5 w-1.5 rounded-[1.5px] bg-agent align-[-2px]" />
      )}
      <RoomForToolbar />
    </Speaker>
  );
}

/** What can be done with a message stands here once it is whole: nothing moves up when it ends. */
function RoomForToolbar() {
  return <div className="mt-1 h-7" />;
}

function LivePartView({ part, isLast }: { part: LivePart; isLast: boolean }) {
  if (part.kind === 'call') return <ToolRow call={part.call} progress={part.progress} />;
  return part.kind === 'text' ? <Markdown text={part.text} /> : <Reasoning text={part.text} isLive={isLast} />;
}
