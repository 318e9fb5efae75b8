import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import { SessionName } from '../../contract/names.ts';
import type { Session } from '../../contract/sessions.ts';
import type { MessageSearch } from '../sessions/search.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { readMessages } from '../sessions/transcript.ts';
import { defineTool } from '../tools/define-tool.ts';
import { commandOf, type Plugin } from '../tools/plugin.ts';
import { skillPathOf } from '../tools/skills.ts';
import { type Tool, type ToolContext, ToolFailure } from '../tools/tool.ts';
import { agentsMessage } from './agents-message.ts';
import type { DelegationHouse } from './house.ts';

/** Seed 004's two: who there is, and asking them. */
export function agentsPlugin(house: DelegationHouse): Plugin {
  const tools = [agentsList(house), agentsMessage(house)];
  return { id: 'agents', description: 'Other agents: who there is, and asking them.', tools, ...asSkill('agents') };
}

function asSkill(id: string): Pick<Plugin, 'skillPath' | 'command'> {
  return { skillPath: skillPathOf(id), command: commandOf(id) };
}

function agentsList(house: DelegationHouse): Tool {
  return defineTool(
    {
      name: 'agents_list',
      description: 'List the agents you can ask with agents_message.',
      input: z.strictObject({}),
      capabilities: ['agents.read'],
      risk: 'read',
      source: { kind: 'built-in', id: 'agents' },
      operation: 'list',
    },
    async (_, { turnId }) => {
      const asked = turnId === null ? undefined : house.engine.running(turnId)?.toolset?.scoped;
      const all = [...house.everyone().values()];
      const visible = all.filter(({ agentId, uiVisible }) =>
        asked ? asked.decideAgent(agentId, uiVisible).allowed : uiVisible,
      );
      return JSON.stringify(
        visible.map(({ agentId, displayName, description }) => ({ agentId, displayName, description })),
      );
    },
  );
}

export interface SessionTools {
  readonly house: DelegationHouse;
  readonly sessions: Sessions;
  readonly search: MessageSearch;
}

/** What was said elsewhere: an agent reads the person's sessions only where it is allowed to. */
export function sessionsPlugin(given: SessionTools): Plugin {
  const tools = [sessionsList(given), sessionsRead(given), sessionsSearch(given), sessionsRename(given)];
  return {
    id: 'sessions',
    description: 'The sessions there are and what was said in them.',
    tools,
    ...asSkill('sessions'),
  };
}

const SOURCE = { kind: 'built-in', id: 'sessions' } as const;
const limit = (most: number, usual: number) => z.int().min(1).max(most).default(usual);

function sessionsList({ sessions }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_list',
      description: 'List sessions, those with the newest activity first.',
      input: z.strictObject({
        agent: z.string().optional().describe('Only where this agent takes part'),
        limit: limit(50, 20),
      }),
      capabilities: ['sessions.read'],
      risk: 'read',
      source: SOURCE,
      operation: 'list',
    },
    async (query, { owner }) => {
      const { sessions: found } = await sessions.list(owner, query);
      return JSON.stringify(found.map(describe));
    },
  );
}

function describe({ id, title, agentId, status, messageCount, lastActivityAt, lastSnippet }: Session) {
  return { sessionId: id, title, agentId, status, messageCount, lastActivityAt, lastSnippet };
}

function sessionsRead({ house }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_read',
      description: 'Read what was said in a session, newest page first.',
      input: z.strictObject({
        sessionId: z.string().min(1).describe('From sessions_list'),
        before: z.int().optional().describe('The number of a message: the page before it'),
        limit: limit(100, 30),
      }),
      capabilities: ['sessions.read'],
      risk: 'read',
      source: SOURCE,
      operation: 'read',
    },
    ({ sessionId, before, limit }, context) =>
      orTell(async () => {
        const page = await readMessages(house.log.db, context.owner, sessionId, { before, limit });
        return JSON.stringify({ messages: page.messages.map(quote), before: page.before });
      }),
  );
}

function quote({ seq, role, agent, text, createdAt }: Message) {
  return { seq, speaker: agent ?? role, text, at: createdAt };
}

function sessionsSearch({ search }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_search',
      description: 'Search everything that was said in all sessions, newest first.',
      input: z.strictObject({ query: z.string().min(1).max(500), limit: limit(50, 10) }),
      capabilities: ['sessions.read'],
      risk: 'read',
      source: SOURCE,
      operation: 'search',
    },
    ({ query, limit }, { owner }) =>
      orTell(async () => {
        const { hits } = await search.search(owner, { q: query, limit });
        return JSON.stringify(
          hits.map(({ sessionId, sessionTitle, agent, role, snippet, createdAt }) => ({
            sessionId,
            sessionTitle,
            speaker: agent ?? role,
            snippet,
            at: createdAt,
          })),
        );
      }),
  );
}

function sessionsRename({ sessions }: SessionTools): Tool {
  return defineTool(
    {
      name: 'sessions_rename',
      description: 'Give a session a name; without a sessionId, the one you are in.',
      input: z.strictObject({ name: SessionName, sessionId: z.string().min(1).optional() }),
      capabilities: ['sessions.write'],
      risk: 'write',
      source: SOURCE,
      operation: 'rename',
    },
    ({ name, sessionId }, context) =>
      orTell(async () => {
        const { session } = await sessions.rename(context.owner, sessionId ?? ownSession(context), name, false);
        return `The session is called ${session.title} now.`;
      }),
  );
}

function ownSession({ sessionId }: ToolContext): string {
  if (sessionId !== null) return sessionId;
  throw new ToolFailure('Name the session.', 'invalid_input');
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
