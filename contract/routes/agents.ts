import { z } from 'zod';
import {
  AgentDefinition,
  AgentDetail,
  AgentList,
  AgentPatch,
  ApproveCard,
  ConnectionTest,
  DiscoveredAgents,
  KeptMemoryList,
  RemoteCard,
  RestoredMemory,
  RestoreMemory,
  ServerConfiguration,
  TemplateList,
  TestConnection,
} from '../agents.ts';
import { AgentId } from '../names.ts';
import type { Route } from './route.ts';

const agent = { params: z.object({ agentId: AgentId }) };
const HiddenQuery = z.strictObject({
  hidden: z.enum(['true', 'false']).optional().describe('true includes hidden agents'),
});

/** Programs are started only as a person has seen them. */
export const ConfirmQuery = z.strictObject({
  confirm: z
    .string()
    .max(100_000)
    .optional()
    .describe(
      'For an agent that starts a program: the command and what it may do, as the person has confirmed it. ' +
        'The error command_unconfirmed gives exactly this text in issues[0]',
    ),
});

export const AGENTS_ROUTES = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    access: 'member',
    summary: 'List agents',
    query: HiddenQuery,
    status: 200,
    response: AgentList,
  },
  createAgent: {
    method: 'POST',
    path: '/api/agents',
    access: 'member',
    summary: 'Create an agent',
    query: ConfirmQuery,
    body: AgentDefinition,
    versioned: 'shown',
    status: 201,
    response: AgentDetail,
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/{agentId+}',
    access: 'member',
    summary: 'Get an agent with its definition',
    ...agent,
    versioned: 'shown',
    status: 200,
    response: AgentDetail,
  },
  updateAgent: {
    method: 'PATCH',
    path: '/api/agents/{agentId+}',
    access: 'member',
    summary: 'Change an agent; If-Match refuses a stale version',
    ...agent,
    query: ConfirmQuery,
    body: AgentPatch,
    versioned: 'checked',
    status: 200,
    response: AgentDetail,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/api/agents/{agentId+}',
    access: 'member',
    summary: 'Delete an agent; its messages are kept',
    ...agent,
    versioned: 'checked',
    status: 204,
  },
  getAgentCard: {
    method: 'GET',
    path: '/api/agent-cards/{agentId+}',
    access: 'member',
    summary: 'Read the card of a remote agent from its server',
    ...agent,
    status: 200,
    response: RemoteCard,
  },
  approveAgentCard: {
    method: 'POST',
    path: '/api/agent-cards/{agentId+}',
    access: 'member',
    summary: 'Approve the card of a remote agent as it was reviewed',
    ...agent,
    body: ApproveCard,
    status: 200,
    response: AgentDetail,
  },
  testConnection: {
    method: 'POST',
    path: '/api/connection-tests',
    access: 'member',
    summary: 'Test what an agent needs to answer, before or after it is saved',
    body: TestConnection,
    status: 200,
    response: ConnectionTest,
  },
  listKeptMemories: {
    method: 'GET',
    path: '/api/kept-memories',
    access: 'member',
    summary: 'What deleted agents remembered',
    status: 200,
    response: KeptMemoryList,
  },
  restoreMemory: {
    method: 'POST',
    path: '/api/memory-restorations',
    access: 'member',
    summary: 'Give an agent what a deleted one remembered',
    body: RestoreMemory,
    status: 200,
    response: RestoredMemory,
  },
  listTemplates: {
    method: 'GET',
    path: '/api/templates',
    access: 'member',
    summary: 'List agent templates',
    status: 200,
    response: TemplateList,
  },
  listDiscovered: {
    method: 'GET',
    path: '/api/discovered-agents',
    access: 'member',
    summary: 'List agents that keys and programs on this machine make possible',
    status: 200,
    response: DiscoveredAgents,
  },
  getConfiguration: {
    method: 'GET',
    path: '/api/configuration',
    access: 'member',
    summary: 'Get the state of the configuration and the features of the server',
    status: 200,
    response: ServerConfiguration,
  },
} as const satisfies Record<string, Route>;
