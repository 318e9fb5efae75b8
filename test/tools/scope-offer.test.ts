import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explain } from '../../server/tools/explain.ts';
import type { Scope, ScopedTool } from '../../server/tools/scope.ts';
import type { Tool } from '../../server/tools/tool.ts';
import { type ToolCatalogue, Toolset } from '../../server/tools/toolset.ts';
import { anyCeiling, anyScopes, anyTools, makeFixture, SETTINGS, TOOL_NAMES } from './scopes.ts';

/** Every plugin here is called so. */
const PLUGIN = 'some';
const NAMES = [...TOOL_NAMES, 'nothing', '__proto__'];
const anySkills = fc.constantFrom([], [PLUGIN]);

test('what is offered is what can be called, and nothing else is', () => {
  fc.assert(
    fc.property(
      anyScopes,
      anyTools,
      fc.array(anyCeiling, { maxLength: 3 }),
      anySkills,
      (scopes, tools, above, skills) => {
        const fixture = toolFixture(scopes, tools, skills);
        for (const scope of scopes) {
          const toolset = new Toolset(fixture, scope, { ceilings: above, askers: [] });
          const callable = NAMES.filter((name) => toolset.decide(name, 'model').allowed);
          expect(NAMES.filter((name) => toolset.offers(name))).toEqual(callable);
          expect(toolset.offered.map(({ name }) => name)).toEqual(callable);
          const operable = NAMES.filter((name) => toolset.decide(name, 'skill').allowed);
          if (skills.length > 0)
            expect(toolset.skills.flatMap(({ operations }) => operations).sort()).toEqual(operable.sort());
        }
      },
    ),
  );
});

test('what is explained is what is offered as a tool or a skill and accepted when it is called', () => {
  fc.assert(
    fc.property(anyScopes, anyTools, anySkills, (scopes, tools, skills) => {
      const fixture = toolFixture(scopes, tools, skills);
      for (const scope of scopes) {
        const toolset = new Toolset(fixture, scope);
        const explained = explain(makeFixture(scopes, tools, { plugins: skills }), scope.agentId);
        const said = explained.tools.filter(({ decision }) => decision.allowed).map(({ tool }) => tool);
        const operable = toolset.skills.flatMap(({ operations }) => operations);
        const offered = NAMES.filter((name) => toolset.offers(name) || operable.includes(name));
        expect(said).toEqual(offered);
        expect(explained.tools.map(({ approval }) => approval)).toEqual(
          fixture.tools().map((tool) => toolset.approval(tool).policy),
        );
        expect(explained.skills.filter(({ decision }) => decision.allowed).map(({ plugin }) => plugin)).toEqual(
          toolset.skills.map(({ id }) => id),
        );
      }
    }),
  );
});

test('the built-in system tools are there for every agent, whatever its lists and ceilings', () => {
  fc.assert(
    fc.property(anyScopes, anyTools, fc.array(anyCeiling, { maxLength: 3 }), (scopes, tools, ceilings) => {
      const source = { kind: 'built-in', id: 'system' } as const;
      const system = { name: 'system_now', capabilities: [], source, risk: 'read' } as const;
      const fixture = toolFixture(scopes, [...tools.filter(({ name }) => name !== 'system_now'), system], []);
      for (const scope of scopes)
        expect(new Toolset(fixture, scope, { ceilings, askers: [] }).offers('system_now')).toBe(true);
    }),
  );
});

function wholeTool(tool: ScopedTool): Tool {
  const nothing = { description: '', inputSchema: {}, parse: (input: unknown) => input };
  return { ...nothing, ...tool, execute: async () => ({ text: '' }) };
}

function toolFixture(scopes: readonly Scope[], given: readonly ScopedTool[], skills: readonly string[]): ToolCatalogue {
  const agents = new Map(scopes.map((scope) => [scope.agentId, { ...scope, displayName: '', description: '' }]));
  const tools = given.map(wholeTool);
  const operations = tools.filter(({ source }) => source.kind !== 'mcp').flatMap(({ operation }) => operation ?? []);
  return {
    tools: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
    skills: () => skills.map((id) => ({ id, description: '', skillPath: '', command: '', operations })),
    agents: () => agents,
    ownsTools: () => false,
    approvals: () => SETTINGS,
    approvalDefault: () => undefined,
    starting: () => [],
  };
}
