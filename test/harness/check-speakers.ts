import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Speaker } from '../../contract/messages.ts';
import type { ExportedMessage } from '../../contract/sessions.ts';
import type { Parley } from './parley.ts';
import { PROGRAM } from './program.ts';
import type { Readback, SessionReadback } from './readback.ts';

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** P9: Markdown and search name the speaker that follows from the turns and the parts of the JSON export. */
export function checkShownSpeakers(one: SessionReadback, nameOf: (agentId: string) => string): string[] {
  const hits = new Map(one.hits.map((hit) => [hit.messageId, hit]));
  const markdown = one.markdown.replaceAll(ESCAPED, '$1');
  return one.exported.messages.flatMap((message) => {
    const wanted = expectedSpeaker(one, message);
    const problems: string[] = [];
    const hit = hits.get(message.id);
    if (hit && JSON.stringify(hit.speaker) !== JSON.stringify(wanted))
      problems.push(`P9: search credits ${message.id} to ${JSON.stringify(hit.speaker)}`);
    if (hit && hit.agent !== wanted.agent) problems.push(`P9: search says that ${hit.agent} said ${message.id}`);
    const heading = `## ${labelOf(wanted, nameOf)}${message.guest ? ' (guest)' : ''} · #${message.seq} · `;
    if (message.onPath && !markdown.includes(`\n${heading}`))
      problems.push(`P9: Markdown lacks the heading ${heading}`);
    if (message.onPath && !markdown.includes(firstWords(message)))
      problems.push(`P1: Markdown lacks the words of ${message.id}`);
    return problems;
  });
}

/** As far as every form of a text has them alike. */
function firstWords({ text }: ExportedMessage): string {
  return /^[\p{L}\p{N} ]{0,40}/u.exec(text)![0].trim();
}

/** Starting the program takes longer than all other checks, so that ordinary sessions are tried a few times only. */
let ordinaryTries = 3;

/** P1, P9: the command line shows the same messages and names the same speakers, tried where agents write to each other. */
export async function checkPrintedSpeakers(parley: Parley, { sessions }: Readback): Promise<string[]> {
  const asking = sessions.filter(hasAgentsAsking).slice(0, 2);
  const ordinary = sessions.filter(({ session }) => session.messageCount > 0).slice(0, 1);
  const tried = asking.length > 0 || ordinaryTries-- <= 0 ? asking : ordinary;
  const problems: string[] = [];
  for (const one of tried) {
    const printed = await printSession(parley, one.session.id);
    problems.push(...checkPrinted(one, printed));
  }
  return problems;
}

function hasAgentsAsking({ exported }: SessionReadback): boolean {
  return exported.messages.some(({ role, agent }) => role === 'delegation' || (role === 'user' && agent !== null));
}

async function printSession(parley: Parley, id: string): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NO_COLOR: '1', PARLEY_TOKEN: parley.token };
  const args = [PROGRAM, 'sessions', 'show', id, '-n', '500', '--home', parley.home];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

/** Every message begins a line with its speaker, in the order of the session. */
function checkPrinted(one: SessionReadback, printed: string): string[] {
  let at = 0;
  const text = `\n${printed}`;
  for (const message of one.exported.messages.filter(({ onPath }) => onPath)) {
    const wanted = expectedSpeaker(one, message);
    const label = message.role === 'delegation' ? labelOf({ ...wanted, kind: 'agent' }) : labelOf(wanted);
    const state = message.status === 'complete' ? '' : ` (${message.status})`;
    const line = `\n${label}${message.guest ? ' (guest)' : ''}${state}:`;
    const found = text.indexOf(line, at);
    if (found < 0) return [`P9: the command line does not say ${JSON.stringify(line)} for #${message.seq}: ${printed}`];
    at = text.indexOf(firstWords(message), found + line.length);
    if (at < 0) return [`P1: the command line does not show the words of #${message.seq}: ${printed}`];
  }
  return [];
}

/** Worked out from the rows, not by the function that the product uses. */
function expectedSpeaker({ turns }: SessionReadback, { id, role, agent, parts }: ExportedMessage): Speaker {
  const given = parts.find((part) => part.type === 'delegation');
  if (role === 'delegation') return { kind: 'task', agent: given?.from ?? null, to: agent };
  if (role !== 'user') return { kind: agent === null ? 'unknown' : 'agent', agent, to: null };
  const sent = parts.find((part) => part.type === 'webhook');
  if (sent) return { kind: 'webhook', agent: null, to: null, webhook: sent.name };
  if (agent === null) return { kind: 'person', agent, to: null };
  const isTask = !given && turns.some(({ messageId, parentTurnId }) => messageId === id && parentTurnId !== null);
  return { kind: isTask ? 'task' : 'result', agent, to: null };
}

function labelOf({ kind, agent, to, webhook }: Speaker, nameOf = (agentId: string) => agentId): string {
  const name = agent === null ? 'Assistant' : nameOf(agent);
  switch (kind) {
    case 'person':
      return 'User';
    case 'webhook':
      return `Webhook "${webhook}"`;
    case 'task':
      return to === null ? `${name} (task)` : `${name} (task for ${nameOf(to)})`;
    case 'result':
      return `${name} (result)`;
    case 'agent':
    case 'unknown':
      return name;
    default:
      return kind satisfies never;
  }
}
