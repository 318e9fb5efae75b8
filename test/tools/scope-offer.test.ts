import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scope, ScopedTool } from '../../server/tools/scope.ts';
import type { Tool } from '../../server/tools/tool.ts';
import { Toolset, type ToolWorld } from '../../server/tools/toolset.ts';
import { anyCeiling, anyScopes, anyTools, SETTINGS, TOOL_NAMES } from './scopes.ts';

test('what is offered is what can be called, and nothing else is', () => {
  fc.assert(
    fc.property(anyScopes, anyTools, fc.array(anyCeiling, { maxLength: 3 }), (scopes, tools, above) => {
      const world = toolWorld(scopes, tools.map(wholeTool));
      for (const scope of scopes) {
        const toolset = new Toolset(world, scope, above);
        const names = [...TOOL_NAMES, 'nothing', '__proto__'];
        const callable = names.filter((name) => toolset.decide(name, 'model').allowed);
        const isBare = callable.every((name) => name.startsWith('system_'));
        expect(names.filter((name) => toolset.offers(name))).toEqual(isBare ? [] : callable);
        expect(toolset.offered.map(({ name }) => name)).toEqual(isBare ? [] : callable);
      }
    }),
  );
});

function wholeTool(tool: ScopedTool): Tool {
  const nothing = { description: '', inputSchema: {}, parse: (input: unknown) => input };
  return { ...nothing, ...tool, execute: async () => ({ text: '' }) };
}

function toolWorld(scopes: readonly Scope[], tools: readonly Tool[]): ToolWorld {
  const agents = new Map(scopes.map((scope) => [scope.agentId, { ...scope, displayName: '', description: '' }]));
  return {
    tools: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
    skills: () => [],
    agents: () => agents,
    approvals: () => SETTINGS,
    approvalDefault: () => undefined,
  };
}
