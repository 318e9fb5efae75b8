import type { ModelMessage, ModelRequest, ModelToolResult } from '../types.ts';

/** A request as the demo model understands it: who it is, who said what, and what it is asked. */
export interface DemoPrompt {
  /** Who the system prompt says it is. */
  persona: string;
  /** The system prompt without what it tells about tools, agents and the like. */
  base: string;
  /** What it was last asked; empty when it was not. */
  asked: string;
  /** Everything said, oldest first, the question included. */
  said: readonly Utterance[];
  /** Set when the last thing in the request is what tools gave back. */
  results: readonly ModelToolResult[] | undefined;
  request: ModelRequest;
}

export interface Utterance {
  speaker: string;
  text: string;
  /** It is meant to be answered: by a person or by an agent. */
  asks: boolean;
}

export const USER = 'User';

export function readPrompt(request: ModelRequest): DemoPrompt {
  const base = request.system.split(/\n\n(?=Available |Message context:|Artifacts panels|Delegating:)/, 1)[0] ?? '';
  const persona = personaOf(base);
  const said = request.messages.flatMap((message) => utterances(message, persona));
  const last = request.messages.at(-1);
  return {
    persona,
    base,
    asked: said.findLast(({ asks }) => asks)?.text ?? '',
    said,
    results: last?.role === 'tool' ? last.results : undefined,
    request,
  };
}

/** The other agents that have spoken, in the order they first did. */
export function otherSpeakers({ said, persona }: DemoPrompt): string[] {
  const names = new Set(said.map(({ speaker }) => speaker));
  return [...names].filter((name) => name !== USER && name !== persona);
}

/** Its beginning, for telling it again. */
export function firstSentence(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const end = flat.search(/[.!?](?:\s|$)/);
  const sentence = end < 0 ? flat : flat.slice(0, end + 1);
  return sentence.length <= 160 ? sentence : `${sentence.slice(0, 159)}…`;
}

/** The name in "You are Ada, …" or "Your name is Ada". The demo follows nothing else of a system prompt. */
function personaOf(system: string): string {
  const named =
    /\byour name is ["“]?([^\s"”,.;:\n]+)/i.exec(system) ??
    /\byou are (?:called |an? |the )?["“]?([^"”,.;:\n]{1,60})/i.exec(system);
  return named?.[1]?.trim() || 'the demo agent';
}

function utterances(message: ModelMessage, persona: string): Utterance[] {
  if (message.role === 'tool') return [];
  if (message.role === 'user' && isNote(message.text)) return reported(message.text);
  if (message.role === 'user') return [{ ...attributed(message.text, USER), asks: true }];
  return message.text.trim() === '' ? [] : [{ ...attributed(message.text, persona), asks: false }];
}

/** The server tells a model when its delegates have answered, or why one was refused. */
function isNote(text: string): boolean {
  return /^\[(?:The agents you asked\b|\S+ (?:was not asked|has not answered)[.:]|Continue from here\.)/.test(text);
}

/** What the agents that were asked have said, in one message. */
function reported(text: string): Utterance[] {
  const answers = text.match(/<from agent="[^"]*">[\s\S]*?<\/from>/g) ?? [];
  return [...answers.map((answer) => attributed(answer, USER)), { speaker: USER, text: '' }].map((said) => ({
    ...said,
    asks: false,
  }));
}

/** Another agent's words arrive as `<from agent="NAME">words</from>`; one's own, and the person's, arrive bare. */
function attributed(text: string, otherwise: string): Omit<Utterance, 'asks'> {
  const match = /^\s*<from agent="([^"]*)">\n?([\s\S]*?)\n?(?:<\/from>\s*(?:\[The message above [^\]]*\])?)?$/.exec(
    text,
  );
  if (!match) return { speaker: otherwise, text };
  return { speaker: unescaped(match[1] ?? ''), text: unescaped(match[2] ?? '') };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** `wisp/reading-list` is called Reading list: the demo is shown ids only. */
export function nameOf(agentId: string): string {
  const words = agentId.slice(agentId.lastIndexOf('/') + 1).replace(/[-_.]+/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
