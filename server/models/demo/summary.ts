import { type DemoPrompt, USER, type Utterance } from './prompt.ts';
import { type DemoStep, say } from './steps.ts';

/** Whether the request is one for a summary: compaction asks through the system prompt or in the last message. */
export function wantsSummary({ asked, base }: DemoPrompt): boolean {
  return SYSTEM.test(base) || ASKED.test(asked);
}

/** Says who said what, each in a line, in their own words cut short: deterministic, and it keeps every name. */
export function summarise(prompt: DemoPrompt): readonly DemoStep[] {
  const lines = talk(prompt).map(line);
  const omitted = lines.length - MAX_LINES;
  const kept = omitted > 0 ? [...lines.slice(0, FIRST), `- (${omitted} more)`, ...lines.slice(FIRST + omitted)] : lines;
  return [
    say(
      `Summary of ${lines.length} ${lines.length === 1 ? 'message' : 'messages'}, written by the offline demo model.`,
      '',
      ...kept,
    ),
  ];
}

const SYSTEM =
  /\b(?:you (?:summari[sz]e|compact|condense)|summari[sz](?:e|er|ing) (?:the|a|this|conversation)|write (?:a|the) summary)\b/i;
const ASKED = /^\s*(?:please )?(?:summari[sz]e|write (?:a|the) summary|(?:give|make) (?:me )?a summary)/i;
const MAX_LINES = 40;
const FIRST = 10;
const MAX_WORDS = 160;

type Line = Pick<Utterance, 'speaker' | 'text'>;

/** The talk is either in the messages or quoted, `Name: words` on each line, in the one message that asks. */
function talk({ said, asked }: DemoPrompt): readonly Line[] {
  const quoted = asked
    .split('\n')
    .map(quotedLine)
    .filter((one) => one !== undefined);
  if (quoted.length > 1) return quoted;
  const last = said.findLastIndex(({ speaker, text }) => speaker === USER && text === asked);
  return ASKED.test(asked) ? said.toSpliced(last, 1) : said;
}

function quotedLine(text: string): Line | undefined {
  const match = /^\[?([\p{L}\d][\p{L}\d/_.@ -]{0,60})\]?: (.+)$/u.exec(text);
  return match ? { speaker: match[1] ?? '', text: match[2] ?? '' } : undefined;
}

function line({ speaker, text }: Line): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const sentence = /^.{20,}?[.!?](?= |$)/.exec(flat)?.[0] ?? flat;
  return `- ${speaker}: ${sentence.length <= MAX_WORDS ? sentence : `${sentence.slice(0, MAX_WORDS - 1)}…`}`;
}
