import { z } from 'zod';
import {
  AgentDefinition,
  AgentDetail,
  AgentList,
  AgentPatch,
  DiscoveredAgents,
  ServerConfiguration,
  TemplateList,
} from '../agents.ts';
import { AgentId } from '../names.ts';
import type { Route } from './route.ts';

const agent = { params: z.object({ agentId: AgentId }) };
const HiddenQuery = z.strictObject({
  hidden: z.enum(['true', 'false']).optional().describe('true lists hidden agents too'),
});

export const AGENTS_ROUTES = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    access: 'member',
    summary: 'Agents one can talk to',
    query: HiddenQuery,
    status: 200,
    response: AgentList,
  },
  createAgent: {
    method: 'POST',
    path: '/api/agents',
    access: 'member',
    summary: 'Create an agent',
    body: AgentDefinition,
    status: 201,
    response: AgentDetail,
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/{agentId+}',
    access: 'member',
    summary: 'One agent with its definition',
    ...agent,
    status: 200,
    response: AgentDetail,
  },
  updateAgent: {
    method: 'PATCH',
    path: '/api/agents/{agentId+}',
    access: 'member',
    summary: 'Change an agent; If-Match refuses a stale version',
    ...agent,
    body: AgentPatch,
    status: 200,
    response: AgentDetail,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/api/agents/{agentId+}',
    access: 'member',
    summary: 'Delete an agent; what it said stays',
    ...agent,
    status: 204,
  },
  listTemplates: {
    method: 'GET',
    path: '/api/templates',
    access: 'member',
    summary: 'What agents can extend',
    status: 200,
    response: TemplateList,
  },
  listDiscovered: {
    method: 'GET',
    path: '/api/discovered-agents',
    access: 'member',
    summary: 'Agents that keys and programs on this machine make possible',
    status: 200,
    response: DiscoveredAgents,
  },
  getConfiguration: {
    method: 'GET',
    path: '/api/configuration',
    access: 'member',
    summary: 'Whether the files on disk are in force, and what the server is set up for',
    status: 200,
    response: ServerConfiguration,
  },
} as const satisfies Record<string, Route>;
