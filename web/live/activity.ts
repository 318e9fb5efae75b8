import type { Delta, StreamFrame, TurnPartial } from '../../contract/events.ts';
import type { ToolCall } from '../../contract/tools.ts';

/** What is being done in a session at this moment. */
export interface Activity {
  readonly turnId: string | null;
  /** Null when the page was opened while the turn ran and has not been told whose it is. */
  readonly agentId: string | null;
  /** The tool that is running, with its arguments as JSON text. */
  readonly tool: Pick<ToolCall, 'id' | 'name' | 'input'> | null;
  /** How many tools the turn has used. */
  readonly tools: number;
  /** The end of what it has said. */
  readonly words: string;
  /** Which part of which message the words end in, and how much of that part is known: streams may repeat text. */
  readonly part: string | null;
  readonly heard: number;
}

const NOTHING: Activity = { turnId: null, agentId: null, tool: null, tools: 0, words: '', part: null, heard: 0 };
const KEPT_WORDS = 300;

/** The activity of a session after a frame; undefined once nothing is done there any more. */
export function afterFrame(known: Activity | undefined, frame: StreamFrame): Activity | undefined {
  switch (frame.type) {
    case 'turn.started':
      return { ...NOTHING, turnId: frame.turn.id, agentId: frame.turn.agentId };
    case 'turn.settled':
      return known?.turnId === null || known?.turnId === frame.turn.id ? undefined : known;
    case 'session.cleared':
    case 'session.deleted':
      return undefined;
    case 'tool.started':
      return withTool(known, frame.call);
    case 'tool.ended':
      return known?.tool?.id === frame.call.id ? { ...known, tool: null } : known;
    case 'delta':
      return frame.kind === 'text' ? withWords(known, frame) : known;
    case 'turn.partial':
      return withPartial(known, frame);
    default:
      return known;
  }
}

function withTool(known: Activity = NOTHING, { id, name, input, agentId, turnId }: ToolCall): Activity {
  const before = known.turnId === turnId || known.turnId === null ? known.tools : 0;
  return { ...known, turnId, agentId, tool: { id, name, input }, tools: before + 1 };
}

type Said = Pick<Delta, 'turnId' | 'agentId' | 'after' | 'part' | 'offset' | 'text'>;

function withWords(
  known: Activity | undefined,
  { turnId, agentId, after, part: number, offset, text }: Said,
): Activity {
  const before = activityOf(known, turnId, agentId);
  const part = `${after} ${number}`;
  const isNew = before.part !== part;
  const heard = isNew ? 0 : before.heard;
  const end = offset + text.length;
  if (end <= heard) return before;
  const words = `${before.words}${isNew && before.words ? '\n' : ''}${text.slice(Math.max(0, heard - offset))}`;
  return { ...before, words: words.slice(-KEPT_WORDS), part, heard: end };
}

/** Sent for each running turn at the start of a stream; of several turns, the one that was started last is shown. */
function withPartial(known: Activity | undefined, { turnId, agentId, after, parts, calls }: TurnPartial) {
  if (known?.turnId && known.turnId > turnId) return known;
  const said = parts.filter(({ kind }) => kind === 'text').at(-1);
  const begun = activityOf(known, turnId, agentId);
  const spoken = said ? withWords(begun, { turnId, agentId, after, offset: 0, ...said }) : begun;
  const running = calls.find(({ endedAt }) => endedAt === null);
  return running && spoken.tool?.id !== running.id ? withTool(spoken, running) : spoken;
}

/** What is known of this turn; another turn starts from nothing. */
function activityOf(known: Activity = NOTHING, turnId: string, agentId: string): Activity {
  return known.turnId === turnId || known.turnId === null
    ? { ...known, turnId, agentId }
    : { ...NOTHING, turnId, agentId };
}

/** The last whole sentence or line; null before there is one. */
export function lastSentence(words: string): string | null {
  const sentences = words.split(/(?<=[.!?:])\s+|\n+/).slice(0, -1);
  return sentences.findLast((sentence) => /\p{L}/u.test(sentence))?.trim() ?? null;
}
