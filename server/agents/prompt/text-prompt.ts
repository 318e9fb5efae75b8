import type { Attachable } from '../../../contract/files.ts';
import { speakerLabel, speakerOf } from '../../../contract/speakers.ts';
import type { AttributedMessage, TurnHost, TurnInput } from '../agent.ts';
import { type Carries, spellOut, withFiles } from './attached-files.ts';
import { senderFraming } from './framing.ts';
import { indentRest, labelledTranscript } from './labelled-transcript.ts';
import { oneLine } from './one-line.ts';
import { agentSection, delegateSection, knowledgeSection, MESSAGE_CONTEXT } from './sections.ts';
import { basePrompt, type PromptedAgent } from './system-prompt.ts';

/** Of what is caught up on; the newest messages are kept. */
const MOST_CATCH_UP = 200_000;
/** A message that is longer than this is cut in a catch-up, so that one message does not hide all others. */
const MOST_OF_ONE = 50_000;

const TEXT_FRAMING = [
  'Several agents may speak in this conversation. What you have not seen yet is shown before the message to answer, each line labelled with its speaker, such as "User: …" or "wisp/concierge: …"; further lines of a message are indented.',
  'Reply to the last message as yourself, without a label, and do not speak for anyone else.',
].join(' ');

const GUEST_TEXT_FRAMING = 'You are a guest here, for one reply: use no tools, reply with text only.';

/**
 * What is always said to an agent that reads text: who it is, how others are shown, which agents it can ask. The same
 * words in every turn as long as the configuration is the same.
 */
export function textInstructions(
  agent: PromptedAgent,
  { textOnly }: Pick<TurnInput, 'textOnly'>,
  { tools, delegates, surroundings }: Pick<TurnHost, 'tools' | 'delegates' | 'surroundings'>,
  callsTools: boolean,
): string {
  const rest = textOnly
    ? [GUEST_TEXT_FRAMING]
    : [
        surroundings.messageContext ? MESSAGE_CONTEXT : null,
        callsTools ? knowledgeSection(surroundings.knowledge) : null,
        agentSection(tools.agents, callsTools && tools.agents.length > 0),
        delegateSection(delegates?.agents ?? []),
      ];
  return [basePrompt(agent), TEXT_FRAMING, ...rest].filter((part) => part !== null).join('\n\n');
}

interface PromptOptions {
  /** The agent no longer has what it was shown earlier, so all of the conversation is told again. */
  lost?: boolean;
  carries?: Carries | undefined;
}

/** The message to answer as text, after what the agent has not seen. */
export function textPrompt(turn: TurnInput, takes: readonly Attachable[], options: PromptOptions = {}): string {
  const { lost = false, carries } = options;
  const { summary, messages } = lost ? wholeConversation(turn) : turn.unseen;
  const spelled = messages.map((message) => spellOut(message, takes));
  const before = catchUp(summary, spelled, lost || turn.state === null);
  const asked = withFiles(turn.input.text, turn.input.files ?? [], takes, carries);
  const message =
    before === '' ? asked : `${before}\n\n[The message to answer, from ${askerOf(turn.input)}:]\n\n${asked}`;
  return [message, senderFraming(turn)].filter((part) => part !== null).join('\n\n');
}

/**
 * What was said while an agent that reads text worked: by the agents it asked, and by the person. Its own words and the
 * tasks that it gave are left out, because it knows them.
 */
export function addedPrompt(
  reader: string,
  messages: readonly AttributedMessage[],
  takes: readonly Attachable[],
): string {
  const said = messages.filter((message) => !isOwn(reader, message)).map((message) => spellOut(message, takes));
  const [first] = said;
  if (said.length === 1 && speakerOf(first!).kind === 'person') return first!.text;
  const refused = messages.filter(({ refusal }) => refusal !== undefined).map(refusalLine);
  const spoken = said.length === 0 ? [] : [`[${MEANWHILE}:]\n\n${labelledTranscript(said)}`];
  return [...refused, ...spoken, `[${GO_ON}]`].join('\n\n');
}

function isOwn(reader: string, { role, agent, from }: AttributedMessage): boolean {
  return role === 'delegation' ? from === reader : role === 'assistant' && agent === reader;
}

function refusalLine({ agent, refusal }: AttributedMessage): string {
  return `[${oneLine(agent ?? '')} was not asked: ${oneLine(refusal ?? '')}]`;
}

const MEANWHILE = 'What was said meanwhile';
const GO_ON = 'Continue from here: reply, or ask further.';

/** For an agent whose server stopped in the middle of a turn, and which has the conversation up to there. */
export const RESUMED_PROMPT =
  '[The connection was lost while you were working on the last message. Continue where you stopped: repeat nothing that is done already, and ask again for what you were waiting for.]';

function wholeConversation({ summary, history, input }: TurnInput) {
  return { summary, messages: history.filter(({ seq }) => seq === undefined || seq !== input.seq) };
}

function askerOf(input: AttributedMessage): string {
  return speakerLabel(speakerOf(input));
}

function catchUp(summary: string | null, messages: readonly AttributedMessage[], isFirst: boolean): string {
  const shown = newestThatFit(messages.map(shortened));
  const left = messages.length - shown.length;
  const blocks = [
    summary === null ? null : `[Summary of what was said before:]\n\n  ${indentRest(summary)}`,
    left > 0 ? `[${left} earlier messages are left out here.]` : null,
    shown.length > 0 ? `[${isFirst ? FIRST : LATER}:]\n\n${labelledTranscript(shown)}` : null,
  ];
  return blocks.filter((block) => block !== null).join('\n\n');
}

const FIRST = 'What was said in this conversation so far';
const LATER = 'What was said since you last spoke';

function shortened(message: AttributedMessage): AttributedMessage {
  if (message.text.length <= MOST_OF_ONE) return message;
  const text = `${message.text.slice(0, MOST_OF_ONE).toWellFormed()}\n[cut: ${message.text.length} characters in all]`;
  return { ...message, text };
}

function newestThatFit(messages: readonly AttributedMessage[]): readonly AttributedMessage[] {
  let length = 0;
  const first = messages.findLastIndex(({ text }) => {
    length += text.length;
    return length > MOST_CATCH_UP;
  });
  return messages.slice(first + 1);
}
