import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Explanation } from '../../contract/tools.ts';
import { decideApproval } from '../../server/tools/approval-policy.ts';
import { explain } from '../../server/tools/explain.ts';
import { decideUse } from '../../server/tools/exposure.ts';
import { exposedIn, type PermissionContext } from '../../server/tools/permission-context.ts';
import { type Ceiling, decide, type Scope, type ScopedTool } from '../../server/tools/scope.ts';
import { anyScopes, anyTools, makeFixture, makeScope, makeTool, SETTINGS } from './scopes.ts';

/** Random lists keep most agents from talking; these leave the graph dense enough to go somewhere. */
const anyFixture = fc
  .tuple(anyScopes, anyTools, fc.boolean())
  .map(([scopes, tools, talkative]) => makeFixture(scopes, talkative ? [message, ...tools.slice(1)] : tools))
  .map((fixture) => ({ ...fixture, plugins: ['lists', 'notes'] }));

const message = makeTool('agents_message', { capabilities: [] });

test('what is explained is what is decided, and can be sent as it is', () => {
  fc.assert(
    fc.property(anyFixture, (fixture) => {
      for (const scope of fixture.agents.values()) {
        const explanation = explain(fixture, scope.agentId);
        expect(Explanation.parse(explanation)).toEqual(explanation);
        const decisions = fixture.tools.map((tool) => decideUse(exposedIn(fixture), scope, tool));
        expect(explanation.tools.map(({ decision }) => decision)).toEqual(decisions);
      }
    }),
    { numRuns: 50 },
  );
});

test('whom an agent reaches is what remains when nobody more can be found', () => {
  fc.assert(
    fc.property(anyFixture, (fixture) => {
      for (const asker of fixture.agents.values()) {
        const { agents } = explain(fixture, asker.agentId).reach;
        expect(new Set(agents.map(({ agentId }) => agentId))).toEqual(fixpoint(fixture, asker));
        for (const { agentId, via } of agents) {
          const way = [asker.agentId, ...via, agentId].map((id) => fixture.agents.get(id)!);
          expect(way.slice(1).every((next, index) => mayMessage(fixture, way[index]!, next))).toBe(true);
        }
      }
    }),
  );
});

test('the tools it reaches are those that a call on some way would be allowed', () => {
  fc.assert(
    fc.property(anyFixture, (fixture) => {
      for (const asker of fixture.agents.values()) {
        const { tools } = explain(fixture, asker.agentId).reach;
        const found = tools.map(({ tool, through }) => [tool, through.toSorted()]);
        expect(found).toEqual(byEveryWay(fixture, asker));
      }
    }),
  );
});

test('a chain of hundreds of agents and a crowd that all know each other are explained', () => {
  const ids = Array.from({ length: 500 }, (_, index) => `a${index}`);
  const tools = [message, ...Array.from({ length: 20 }, (_, index) => makeTool(`t${index}`, { agents: ['a4*'] }))];
  const chain = ids.map((agentId, index) => makeScope(agentId, { agentAllowlist: [`a${index + 1}`] }));
  const { agents, tools: reached } = explain(makeFixture(chain, tools), 'a0').reach;
  expect(agents.at(-1)?.via).toEqual(ids.slice(1, -1));
  expect(reached).toHaveLength(20);
  const crowd = ids.slice(0, 300).map((agentId) => makeScope(agentId, { delegation: { ceiling: 'self' } }));
  expect(explain(makeFixture(crowd, tools), 'a9').reach.agents).toHaveLength(299);
});

function fixpoint(context: PermissionContext, asker: Scope): Set<string> {
  const all = [...context.agents.values()];
  const found = new Set([asker]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const next of all.filter((each) => [...found].some((one) => mayMessage(context, one, each)))) found.add(next);
  }
  found.delete(asker);
  return new Set([...found].map(({ agentId }) => agentId));
}

/** Walks every way without a circle and asks, at its end, exactly as a call there would. */
function byEveryWay(context: PermissionContext, asker: Scope): [string, string[]][] {
  const ways = everyWay(context, [asker]);
  return context.tools.flatMap((tool) => {
    if (canCall(asker, tool, [])) return [];
    const able = ways.filter((way) => canCall(way.at(-1)!, tool, ceilingsOf(way.slice(0, -1))));
    const through = new Set(able.map((way) => way.at(-1)!.agentId));
    return through.size > 0 ? [[tool.name, [...through].sort()] as [string, string[]]] : [];
  });
}

function everyWay(context: PermissionContext, way: Scope[]): Scope[][] {
  const next = [...context.agents.values()].filter(
    (each) => !way.includes(each) && mayMessage(context, way.at(-1)!, each),
  );
  return next.flatMap((each) => [[...way, each], ...everyWay(context, [...way, each])]);
}

function mayMessage(context: PermissionContext, from: Scope, { agentId, uiVisible }: Scope): boolean {
  const tool = context.tools.find(({ name }) => name === 'agents_message')!;
  const hasChildren = [...context.agents.values()].some(({ parentAgentId }) => parentAgentId === from.agentId);
  const hasWay = (from.delegation.tags ?? hasChildren) || canCall(from, tool, []);
  return hasWay && decide(from, { kind: 'agent', agentId, uiVisible }).allowed;
}

function ceilingsOf(way: readonly Scope[]): Ceiling[] {
  return way.filter(({ delegation }) => delegation.ceiling === 'self').map((scope) => ({ kind: 'agent', scope }));
}

function canCall(scope: Scope, tool: ScopedTool, ceilings: readonly Ceiling[]): boolean {
  const { policy } = decideApproval(scope, tool, SETTINGS, undefined, ceilings);
  return decide(scope, { kind: 'tool', tool }, ceilings).allowed && policy !== 'deny';
}
