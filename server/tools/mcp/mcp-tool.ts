import type { ToolRisk, ToolSource } from '../../../contract/tools.ts';
import type { InputSchema, Tool, ToolContext, ToolOutput } from '../tool.ts';
import { checkInput } from './check-input.ts';
import type { ConfiguredServer } from './configured-server.ts';
import type { Definition, HashedDefinition } from './definition.ts';
import { plainSchema, plainText } from './plain-text.ts';
import { qualifiedName } from './tool-name.ts';

const MOST_DESCRIPTION = 4000;

/** A tool of a server as it was accepted. */
export class McpTool implements Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly capabilities: readonly string[];
  readonly source: ToolSource;
  readonly risk: ToolRisk;
  readonly agents?: readonly string[];
  readonly #server: ConfiguredServer;
  readonly #accepted: HashedDefinition;

  constructor(server: ConfiguredServer, accepted: HashedDefinition) {
    const { definition } = accepted;
    const { $schema: _, ...inputSchema } = definition.inputSchema;
    this.name = qualifiedName(server.name, definition.name);
    this.description = describeTool(definition);
    this.inputSchema = plainSchema(inputSchema);
    this.capabilities = [`mcp.${server.name}`];
    this.source = { kind: 'mcp', id: server.name };
    this.risk = riskOf(server, definition);
    if (server.settings.agents) this.agents = server.settings.agents;
    this.#server = server;
    this.#accepted = accepted;
  }

  parse(input: unknown): unknown {
    return checkInput(this.name, this.inputSchema, input);
  }

  execute(input: unknown, context: ToolContext): Promise<ToolOutput> {
    return this.#server.call(this.#accepted, input as Record<string, unknown>, context);
  }
}

export function describeTool({ name, title, description }: Definition): string {
  return plainText(description?.trim() || title || name, MOST_DESCRIPTION);
}

/** That it only reads is what the server says. It is believed where the owner trusts the server anyway. */
function riskOf({ settings }: ConfiguredServer, { annotations }: Definition): ToolRisk {
  return settings.approval === 'allow' && annotations?.readOnlyHint === true ? 'read' : 'execute';
}
