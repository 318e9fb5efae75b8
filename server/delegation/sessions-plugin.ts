import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import { SessionName } from '../../contract/names.ts';
import type { SearchResults, Session } from '../../contract/sessions.ts';
import { speakerLabel, speakerOf } from '../../contract/speakers.ts';
import type { MessageSearch } from '../sessions/search.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { findSession } from '../sessions/store.ts';
import { readMessages } from '../sessions/transcript.ts';
import { toSession } from '../sessions/views.ts';
import { defineTool } from '../tools/define-tool.ts';
import { commandOf, type Plugin } from '../tools/plugin.ts';
import { skillPathOf } from '../tools/skills.ts';
import { type Tool, type ToolContext, ToolFailure } from '../tools/tool.ts';
import type { TurnDeps } from '../turns/turn-deps.ts';
import { requireInReach, type SessionReach, sessionReach } from './session-reach.ts';

export interface SessionTools {
  readonly turns: TurnDeps;
  readonly sessions: Sessions;
  readonly search: MessageSearch;
}

/** What was said in sessions. Which of them an agent sees is decided in `session-reach.ts`. */
export function sessionsPlugin(given: SessionTools): Plugin {
  const tools = [sessionsList(given), sessionsRead(given), sessionsSearch(given), sessionsRename(given)];
  return {
    id: 'sessions',
    description: 'List, read and search sessions.',
    tools,
    skillPath: skillPathOf('sessions'),
    command: commandOf('sessions'),
  };
}

const SOURCE = { kind: 'built-in', id: 'sessions' } as const;
const limit = (most: number, usual: number) => z.int().min(1).max(most).default(usual);

function sessionsList({ turns: deps, sessions }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_list',
      description: `List sessions, most recently active first. ${REACH}`,
      input: z.strictObject({
        agent: z.string().optional().describe('Only sessions this agent takes part in'),
        limit: limit(50, 20),
      }),
      capabilities: ['sessions.read'],
      risk: 'read',
      source: SOURCE,
      operation: 'list',
    },
    async ({ agent, limit }, context) => {
      const reach = await sessionReach(deps, 'sessions_list', context);
      const all = reach.tree
        ? await loadTree(deps, context.owner, reach.tree, agent)
        : (await sessions.list(context.owner, { agent, limit: MOST_LISTED })).sessions.filter((each) =>
            isInReach(reach, each),
          );
      return JSON.stringify(all.slice(0, limit).map(describe));
    },
  );
}

const REACH =
  'Covers the sessions of this turn: the current one and those created for work delegated from it. ' +
  'Other sessions are included only if your toolAllowlist names this tool.';
const MOST_LISTED = 200;

function isInReach(reach: SessionReach, { id, agentId, agents }: Session): boolean {
  return reach.covers({ id, agent_id: agentId, agents: JSON.stringify(agents) });
}

async function loadTree({ log }: TurnDeps, owner: string, ids: readonly string[], agent: string | undefined) {
  const rows = await Promise.all(ids.map((id) => findSession(log.db, owner, id)));
  return rows
    .flatMap((row) => (row ? [toSession(row)] : []))
    .filter(({ agentId, agents }) => agent === undefined || agentId === agent || agents.includes(agent))
    .sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1));
}

function describe({ id, title, agentId, status, messageCount, lastActivityAt, lastSnippet, lastSpeaker }: Session) {
  const speaker = lastSpeaker && { lastSpeaker: speakerLabel(lastSpeaker) };
  return { sessionId: id, title, agentId, status, messageCount, lastActivityAt, lastSnippet, ...speaker };
}

function sessionsRead({ turns: deps }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_read',
      description: 'Read the messages of a session, newest page first.',
      input: z.strictObject({
        sessionId: z.string().min(1).describe('A session id from sessions_list'),
        before: z.int().optional().describe('A message number: returns the page before it'),
        limit: limit(100, 30),
      }),
      capabilities: ['sessions.read'],
      risk: 'read',
      source: SOURCE,
      operation: 'read',
    },
    ({ sessionId, before, limit }, context) =>
      orTell(async () => {
        const reach = await sessionReach(deps, 'sessions_read', context);
        await requireInReach(deps, context.owner, sessionId, reach);
        const page = await readMessages(deps.log.db, context.owner, sessionId, { before, limit });
        return JSON.stringify({ messages: page.messages.map(quote), before: page.before });
      }),
  );
}

function quote(message: Message) {
  const { seq, text, createdAt } = message;
  return { seq, speaker: speakerLabel(speakerOf(message)), text, at: createdAt };
}

function sessionsSearch(given: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_search',
      description: `Search messages in sessions, newest first. ${REACH}`,
      input: z.strictObject({ query: z.string().min(1).max(500), limit: limit(50, 10) }),
      capabilities: ['sessions.read'],
      risk: 'read',
      source: SOURCE,
      operation: 'search',
    },
    ({ query, limit }, context) =>
      orTell(async () => {
        const hits = await searchInReach(given, context, query, limit);
        return JSON.stringify(
          hits.map(({ sessionId, sessionTitle, speaker, snippet, createdAt }) => ({
            sessionId,
            sessionTitle,
            speaker: speakerLabel(speaker),
            snippet,
            at: createdAt,
          })),
        );
      }),
  );
}

const MOST_PAGES = 10;

/** Pages of hits until there are enough within reach. */
async function searchInReach({ turns: deps, search }: SessionTools, context: ToolContext, q: string, limit: number) {
  const reach = await sessionReach(deps, 'sessions_search', context);
  const found: SearchResults['hits'] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < limit; page++) {
    const within = reach.tree?.length === 1 ? { session: reach.tree[0] } : {};
    const { hits, next } = await search.search(context.owner, { q, limit: 50, ...within, ...(cursor && { cursor }) });
    for (const hit of hits) {
      const session = await findSession(deps.log.db, context.owner, hit.sessionId);
      if (session && reach.covers(session)) found.push(hit);
    }
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, limit);
}

function sessionsRename({ turns: deps, sessions }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_rename',
      description: 'Rename a session; without sessionId, the current one.',
      input: z.strictObject({ name: SessionName, sessionId: z.string().min(1).optional() }),
      capabilities: ['sessions.write'],
      risk: 'write',
      source: SOURCE,
      operation: 'rename',
    },
    ({ name, sessionId }, context) =>
      orTell(async () => {
        const id = sessionId ?? ownSession(context);
        const reach = await sessionReach(deps, 'sessions_rename', context);
        if (reach.above.includes(id))
          throw new ToolFailure('That session belongs to the agent you work for.', 'session_in_chain');
        await requireInReach(deps, context.owner, id, reach);
        const session = await sessions.rename(context.owner, id, name);
        return `Renamed the session to ${session.title}.`;
      }),
  );
}

function ownSession({ sessionId }: ToolContext): string {
  if (sessionId !== null) return sessionId;
  throw new ToolFailure('sessionId is required.', 'invalid_input');
}

/** What a person would be told, the agent is told. */
async function orTell(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw new ToolFailure(error.message, error.code);
    throw error;
  }
}
