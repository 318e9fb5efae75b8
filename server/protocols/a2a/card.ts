import type { AgentCard } from '@a2a-js/sdk';
import type { Agent } from '../../../contract/agents.ts';

const MODES = ['text/plain'];

/** Where an agent is found. The slash at the end belongs to it: clients resolve the card's address against it. */
export function baseUrl(origin: string, agentId: string): string {
  return `${origin}/a2a/${encodeURIComponent(agentId)}/`;
}

/** What an exposed agent says of itself to clients of A2A 1.0. */
export function cardOf(agent: Agent, origin: string, version: string): AgentCard {
  const url = baseUrl(origin, agent.agentId);
  const at = (protocolBinding: string, protocolVersion: string) => ({
    url,
    protocolBinding,
    protocolVersion,
    tenant: '',
  });
  return {
    name: agent.displayName,
    description: agent.description || agent.displayName,
    supportedInterfaces: [at('JSONRPC', '1.0'), at('HTTP+JSON', '1.0'), at('JSONRPC', '0.3')],
    provider: undefined,
    version,
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: "Parley's token", scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [skillOf(agent)],
    signatures: [],
  };
}

function skillOf({ displayName, description, starters }: Agent): AgentCard['skills'][number] {
  return {
    id: 'conversation',
    name: displayName,
    description: description || displayName,
    tags: ['conversation'],
    examples: [...starters],
    inputModes: MODES,
    outputModes: MODES,
    securityRequirements: [],
  };
}

/** What clients of A2A 0.3 read, beside the rest: both versions are at the same address. */
export function legacyFields(agent: Agent, origin: string): object {
  return { protocolVersion: '0.3.0', url: baseUrl(origin, agent.agentId), preferredTransport: 'JSONRPC' };
}
