import type { AgentCard } from '@a2a-js/sdk';
import type { Agent } from '../../../contract/agents.ts';

const OUTPUT_MODES = ['text/plain', 'application/octet-stream'];
const INPUT_MODES = [...OUTPUT_MODES, 'application/json', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'];

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
    supportedInterfaces: [at('JSONRPC', '1.0'), at('HTTP+JSON', '1.0'), at('JSONRPC', '0.3'), at('HTTP+JSON', '0.3')],
    provider: undefined,
    version,
    capabilities: { streaming: true, pushNotifications: true, extensions: [], extendedAgentCard: true },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: "Parley's token", scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: OUTPUT_MODES,
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
    inputModes: INPUT_MODES,
    outputModes: OUTPUT_MODES,
    securityRequirements: [],
  };
}

/** What clients of A2A 0.3 read, beside the rest: both versions are at the same address. */
export function legacyFields(agent: Agent, origin: string): object {
  const url = baseUrl(origin, agent.agentId);
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: ['JSONRPC', 'HTTP+JSON'].map((transport) => ({ url, transport })),
    supportsAuthenticatedExtendedCard: true,
  };
}
