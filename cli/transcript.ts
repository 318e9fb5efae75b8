import { describeContext, readContextLine } from '../contract/context-line.ts';
import type { Message, Part } from '../contract/messages.ts';
import { agentLabel, speakerOf } from '../contract/speakers.ts';
import { callLine, callOfPart } from './call-line.ts';
import { delegationLine, delegationOf } from './delegation-line.ts';
import { diffLines } from './diff-lines.ts';
import { look } from './output.ts';
import type { Speakers } from './speakers.ts';
import { safeLine, safeText } from './terminal-text.ts';

/** One message as `Speaker: words`, with a line for everything it did besides speaking. */
export function formatMessage(message: Message, speakers: Speakers): string {
  if (message.role === 'delegation') return formatDelegation(message, speakers);
  const state = message.status === 'complete' ? '' : look().dim(` (${message.status})`);
  const said = message.parts.flatMap((part) => formatPart(part, message));
  const words = (said.some(({ isToolCall }) => isToolCall) ? joined(said) : sayText(message.text)).trimEnd();
  return `${speakers.of(speakerOf(message), message.guest)}${state}:${words.startsWith('\n') ? '' : ' '}${words}`;
}

/** What the person was looking at has a line of its own before their words. */
function sayText(text: string): string {
  const looked = readContextLine(text);
  return looked
    ? `${look().dim(`[${safeLine(describeContext(looked.context))}]`)} ${safeText(looked.words)}`
    : safeText(text);
}

function formatDelegation(message: Message, speakers: Speakers): string {
  const given = delegationOf(message) ?? { to: message.agent ?? '?', task: message.text, state: 'started' as const };
  const line = delegationLine({ ...given, to: agentLabel(given.to) });
  return `${speakers.name(speakerOf(message).agent)}: ${look().amber(line)}`;
}

interface Said {
  line: string;
  isToolCall: boolean;
}

/** Thoughts and results stay out of it; what a delegation was about, its message says. */
function formatPart(part: Part, message: Message): Said[] {
  if (part.type === 'text') return [{ line: sayText(part.text).trimEnd(), isToolCall: false }];
  if (part.type === 'tool_call') return [{ line: look().dim(callLine(callOfPart(part, message))), isToolCall: true }];
  if (part.type === 'notice') return [{ line: look().dim(`(${safeLine(part.text)})`), isToolCall: true }];
  if (part.type === 'diff') return diffLines(part).map((line) => ({ line: look().dim(line), isToolCall: true }));
  return [];
}

/** An empty line separates two texts. A tool call has a line of its own, never the speaker's. */
function joined(said: readonly Said[]): string {
  return said
    .map(({ line, isToolCall }, index) => {
      const before = said[index - 1];
      if (!before) return isToolCall ? `\n${line}` : line;
      return `${isToolCall || before.isToolCall ? '\n' : '\n\n'}${line}`;
    })
    .join('');
}
