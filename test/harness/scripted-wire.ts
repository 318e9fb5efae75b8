import type { Finish, ScriptedUsage } from './scripted-script.ts';
import { ChatWire } from './scripted-wire-chat.ts';
import { MessagesWire } from './scripted-wire-messages.ts';
import { ResponsesWire } from './scripted-wire-responses.ts';

/** One answer in one protocol. Each method gives the bytes a real server would send for it, as text. */
export interface Wire {
  open(): string;
  text(text: string): string;
  reasoning(text: string): string;
  toolCall(id: string, name: string, pieces: readonly string[]): string;
  ping(): string;
  error(message: string, type: string | undefined, code: string | number | undefined): string;
  finish(reason: Finish, usage: ScriptedUsage): string;
  /** What follows a finished answer, if the protocol has such a thing. */
  done(): string;
}

/** The protocol spoken at a path; undefined when nothing is there. */
export function wireFor(path: string, model: string): Wire | undefined {
  if (path.endsWith('/chat/completions')) return new ChatWire(model);
  if (path.endsWith('/responses')) return new ResponsesWire(model);
  if (path.endsWith('/messages')) return new MessagesWire(model);
  return undefined;
}
