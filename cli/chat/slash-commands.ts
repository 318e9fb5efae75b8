import { counted } from '../counted.ts';
import { look } from '../output.ts';
import { safeLine, safeText } from '../terminal-text.ts';
import type { Conversation } from './conversation.ts';

export interface SlashContext {
  conversation: Conversation;
  print(text: string): void;
  leave(): void;
  /** Shows the person the open actions again. */
  askAgain(): void;
}

interface SlashCommand {
  usage: string;
  summary: string;
  execute(context: SlashContext, argument: string): Promise<void> | void;
}

export const SLASH_COMMANDS: Readonly<Record<string, SlashCommand>> = {
  '/switch': { usage: '/switch AGENT', summary: 'switch to another agent', execute: switchAgent },
  '/stop': { usage: '/stop', summary: 'stop the current reply (or press Ctrl-C)', execute: stop },
  '/retry': { usage: '/retry', summary: 'regenerate the last reply', execute: retry },
  '/queue': { usage: '/queue', summary: 'show queued messages', execute: queue },
  '/actions': { usage: '/actions', summary: 'answer what is waiting for you', execute: actions },
  '/compact': { usage: '/compact', summary: 'summarise older messages', execute: compact },
  '/agents': { usage: '/agents', summary: 'list agents', execute: agents },
  '/sessions': { usage: '/sessions', summary: 'list sessions', execute: sessions },
  '/help': { usage: '/help', summary: 'show this list', execute: help },
  '/quit': { usage: '/quit', summary: 'leave; the session is kept', execute: ({ leave }) => leave() },
};

export function isSlashCommand(line: string): boolean {
  return Object.hasOwn(SLASH_COMMANDS, /^\S*/.exec(line)?.[0] ?? '');
}

/** True when the line was a command, known or not. `//` at the beginning of a message is a plain slash. */
export async function executeSlash(line: string, context: SlashContext): Promise<boolean> {
  if (!line.startsWith('/') || line.startsWith('//')) return false;
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const command = SLASH_COMMANDS[name === '/exit' ? '/quit' : name];
  if (command) await command.execute(context, argument.trim());
  else context.print(`Unknown command ${safeLine(name)}. Type /help for a list, or start with // to send it as text.`);
  return true;
}

async function switchAgent({ conversation, print }: SlashContext, agentId: string): Promise<void> {
  if (agentId === '') return print('Give an agent, for example: /switch wisp/scheduler');
  await conversation.client.call('patchSession', { sessionId: conversation.sessionId, body: { agentId } });
  print(`Switched to ${safeLine(agentId)}.`);
}

async function stop({ conversation, print }: SlashContext): Promise<void> {
  if (!conversation.isBusy) return print('Nothing is running.');
  await conversation.stop();
}

async function retry({ conversation, print }: SlashContext): Promise<void> {
  if (!(await conversation.retry())) print('Nothing to retry yet.');
}

function queue({ conversation, print }: SlashContext): void {
  if (conversation.queue.length === 0) print('The queue is empty.');
  for (const [index, { turn, message }] of conversation.queue.entries())
    print(`${index + 1}. ${safeLine(turn.agentId)}: ${safeLine(message.text)}`);
}

function actions({ conversation, print, askAgain }: SlashContext): void {
  if (conversation.actions.length === 0) print('Nothing needs you.');
  else askAgain();
}

async function compact({ conversation, print }: SlashContext): Promise<void> {
  const { archivedCount, summary } = await conversation.client.call('compactSession', {
    sessionId: conversation.sessionId,
  });
  print(`${counted(archivedCount, 'message is', 'messages are')} now summarised:\n${safeText(summary)}`);
}

async function agents({ conversation, print }: SlashContext): Promise<void> {
  const { agents } = await conversation.client.call('listAgents');
  for (const { agentId, description, available, color } of agents) {
    print(`${look().speaker(agentId, color)}  ${available ? safeLine(description) : look().dim('unavailable')}`);
  }
}

async function sessions({ conversation, print }: SlashContext): Promise<void> {
  const { sessions } = await conversation.client.call('listSessions', { query: { limit: 20 } });
  for (const { id, title, name, status } of sessions) {
    const here = id === conversation.sessionId ? '*' : ' ';
    print(`${here} ${safeLine(title)} ${look().dim(`${status} · parley chat -s ${safeLine(name ?? id)}`)}`);
  }
}

function help({ print }: SlashContext): void {
  const commands = Object.values(SLASH_COMMANDS).map(({ usage, summary }) => `  ${usage.padEnd(16)}${summary}`);
  print(
    ['Type a message, or:', ...commands, `  ${'@AGENT text'.padEnd(16)}ask another agent once, or several agents`].join(
      '\n',
    ),
  );
}
