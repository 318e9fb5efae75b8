import type { ModelMessage, ModelRequest, ModelToolResult } from './types.ts';

/** A request as the demo model understands it: who it is, who said what, and what it is asked. */
export interface Scene {
  /** Who the system prompt says it is. */
  persona: string;
  /** What the last person said; empty when nobody has. */
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
}

export const USER = 'User';

export function readScene(request: ModelRequest): Scene {
  const persona = personaOf(request.system);
  const said = request.messages.flatMap((message) => utterances(message, persona));
  const last = request.messages.at(-1);
  return {
    persona,
    asked: said.findLast(({ speaker }) => speaker === USER)?.text ?? '',
    said,
    results: last?.role === 'tool' ? last.results : undefined,
    request,
  };
}

/** The other agents that have spoken, in the order they first did. */
export function otherSpeakers({ said, persona }: Scene): string[] {
  const names = new Set(said.map(({ speaker }) => speaker));
  return [...names].filter((name) => name !== USER && name !== persona);
}

/** The name in "You are Ada, …" or "Your name is Ada"; what else a system prompt says is no business of a demo's. */
function personaOf(system: string): string {
  const named =
    /\byour name is ["“]?([^\s"”,.;:\n]+)/i.exec(system) ??
    /\byou are (?:called |an? |the )?["“]?([^"”,.;:\n]{1,60})/i.exec(system);
  return named?.[1]?.trim() || 'the demo agent';
}

function utterances(message: ModelMessage, persona: string): Utterance[] {
  if (message.role === 'tool') return [];
  if (message.role === 'user') return [{ speaker: USER, text: message.text }];
  return message.text.trim() === '' ? [] : [attributed(message.text, persona)];
}

/** Another agent's words arrive as `<from agent="NAME">words</from>`; one's own arrive bare. */
function attributed(text: string, persona: string): Utterance {
  const match = /^\s*<from agent="([^"]*)">\n?([\s\S]*?)\n?(?:<\/from>\s*)?$/.exec(text);
  if (!match) return { speaker: persona, text };
  return { speaker: unescaped(match[1] ?? ''), text: unescaped(match[2] ?? '') };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
