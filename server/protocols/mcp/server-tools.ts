import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { AppError } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/messages.ts';
import { AgentId, Id } from '../../../contract/names.ts';
import { speakerLabel, speakerOf } from '../../../contract/speakers.ts';
import type { McpCaller } from './caller.ts';
import { messageAgent } from './message-agent.ts';
import { result, turnResult } from './results.ts';

const turn = z.object({ turn: Id.describe('The id that message_agent returned') });

const MessageAgent = z.object({
  agent: AgentId.describe('One of list_agents'),
  message: z.string().min(1).describe('What to say to it'),
  session: Id.optional().describe('The session to go on in; default: a new one'),
  wait: z.boolean().default(true).describe('false: returns at once; read the answer with read_turn'),
});

const ReadSession = z.object({
  session: Id,
  limit: z.int().min(1).max(200).default(50).describe('How many messages, the newest'),
  before: z.int().optional().describe('Only messages before this number'),
});

const SearchSessions = z.object({
  query: z.string().min(1).max(1000).describe('Words, "phrases", prefix*, agent:, from:, before:, after:'),
  limit: z.int().min(1).max(100).default(20),
});

/** What MCP clients can do here. */
export function addTools(server: McpServer, caller: McpCaller): void {
  const { deps, owner } = caller;
  const reads = { annotations: { readOnlyHint: true } };
  const list = 'List the agents that can be messaged from here.';
  server.registerTool('list_agents', { description: list, ...reads }, () => answering(() => listAgents(caller)));
  const message = 'Send a message to an agent and get its answer. The person may be asked for approval meanwhile.';
  server.registerTool('message_agent', { description: message, inputSchema: MessageAgent }, (input, context) =>
    answering(() => messageAgent(caller, input, context as ServerContext)),
  );
  const readTurn = 'Read what became of a message: its state, and the answer so far.';
  server.registerTool('read_turn', { description: readTurn, inputSchema: turn, ...reads }, (input) =>
    answering(async () => turnResult(await deps.exposedTurn(owner, input.turn))),
  );
  const read = 'Read the newest messages of a session, each with its speaker.';
  server.registerTool('read_session', { description: read, inputSchema: ReadSession, ...reads }, (input) =>
    answering(() => readSession(caller, input)),
  );
  const search = 'Search what was said in all sessions.';
  server.registerTool('search_sessions', { description: search, inputSchema: SearchSessions, ...reads }, (input) =>
    answering(() => searchSessions(caller, input)),
  );
  const cancel = 'Stop the work that a message began.';
  server.registerTool('cancel_turn', { description: cancel, inputSchema: turn }, (input) =>
    answering(async () => {
      await deps.exposedTurn(owner, input.turn);
      return result({ cancelled: await deps.cancelTurn(owner, input.turn) });
    }),
  );
}

/** A refusal is a result that says why, so that the model can do something about it. */
async function answering(work: () => Promise<CallToolResult> | CallToolResult): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { content: [{ type: 'text', text: `${error.message} (${error.code})` }], isError: true };
  }
}

function listAgents({ deps }: McpCaller): CallToolResult {
  const agents = deps.exposedAgents().map(({ agentId, displayName, description, available }) => ({
    agent: agentId,
    name: displayName,
    description,
    available,
  }));
  return result({ agents });
}

async function readSession({ deps, owner }: McpCaller, input: z.infer<typeof ReadSession>): Promise<CallToolResult> {
  const { title, status, agentId } = await deps.sessions.get(owner, input.session);
  const page = { limit: input.limit, ...(input.before !== undefined && { before: input.before }) };
  const { messages, before } = await deps.readMessages(owner, input.session, page);
  return result({ session: input.session, title, status, agent: agentId, messages: messages.map(toSaid), before });
}

function toSaid(message: Message) {
  const { seq, text, createdAt } = message;
  return { number: seq, speaker: speakerLabel(speakerOf(message)), text, at: createdAt };
}

async function searchSessions(
  { deps, owner }: McpCaller,
  { query, limit }: z.infer<typeof SearchSessions>,
): Promise<CallToolResult> {
  const { hits } = await deps.search(owner, { q: query, limit });
  const found = hits.map(({ sessionId, sessionTitle, seq, speaker, snippet, createdAt }) => ({
    session: sessionId,
    title: sessionTitle,
    number: seq,
    speaker: speakerLabel(speaker),
    snippet,
    at: createdAt,
  }));
  return result({ hits: found });
}
