import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScopeDecision } from '../../contract/tools.ts';
import { decide, type Scope, type ScopedTool } from '../../server/tools/scope.ts';
import {
  AGENT_IDS,
  anyCeiling,
  anyScope,
  anySubject,
  anyTools,
  LISTS,
  makeScope,
  makeTool,
  TOOL_NAMES,
} from './scopes.ts';

const anyone = fc.constantFrom(...AGENT_IDS).chain(anyScope);
const ceilings = fc.array(anyCeiling, { maxLength: 3 });
const thorough = { numRuns: 1000 };

test('what the lists give is what the design document computes', () => {
  fc.assert(
    fc.property(anyone, anyTools, (scope, tools) => {
      const plain = tools.map(({ agents: _, ...tool }) => ({
        ...tool,
        source: { kind: 'built-in', id: 'x' } as const,
      }));
      const allowed = plain.filter((tool) => decide(scope, { kind: 'tool', tool }).allowed);
      expect(allowed).toEqual(plain.filter((tool) => isEffective(scope, tool)));
    }),
    thorough,
  );
});

describe('nobody is allowed more', () => {
  test('by one more pattern in a denylist', () => {
    const denylist = fc.constantFrom(...LISTS.filter((list) => list.endsWith('Denylist')));
    const pattern = fc.constantFrom('*', 'nothing', '*a*', ...TOOL_NAMES, ...AGENT_IDS);
    fc.assert(
      fc.property(
        anyone,
        anySubject,
        denylist,
        pattern,
        fc.nat(3),
        ceilings,
        (scope, subject, list, more, at, above) => {
          const stricter = { ...scope, [list]: (scope[list] ?? []).toSpliced(at, 0, more) };
          if (decide(stricter, subject, above).allowed) expect(decide(scope, subject, above).allowed).toBe(true);
        },
      ),
      thorough,
    );
  });

  test('by one pattern less in an allowlist, or by a list where there was none', () => {
    const allowlist = fc.constantFrom(...LISTS.filter((list) => list.endsWith('Allowlist')));
    fc.assert(
      fc.property(anyone, anySubject, allowlist, fc.nat(2), (scope, subject, list, at) => {
        // Naming a hidden agent is what shows it, so that a list can give what none does not.
        fc.pre(subject.kind !== 'agent' || subject.uiVisible);
        const shorter = {
          ...scope,
          [list]: (scope[list] ?? ['list_add', 'lists', 'lists.read', 'boss']).toSpliced(at, 1),
        };
        if (decide(shorter, subject).allowed) expect(decide(scope, subject).allowed).toBe(true);
      }),
      thorough,
    );
  });

  test('by a ceiling, and every ceiling must allow', () => {
    fc.assert(
      fc.property(anyone, anySubject, ceilings, anyCeiling, (scope, subject, above, another) => {
        const before = decide(scope, subject, above);
        const after = decide(scope, subject, [...above, another]);
        if (after.allowed) expect(before).toEqual(after);
        if (!before.allowed) expect(after).toEqual(before);
        expect(decide(scope, subject, [another, ...above]).allowed).toBe(after.allowed);
      }),
      thorough,
    );
  });

  test('under somebody’s ceiling than that somebody', () => {
    fc.assert(
      fc.property(anyone, anyone, anySubject, (scope, boss, subject) => {
        fc.pre(subject.kind === 'tool');
        const both = decide(scope, subject).allowed && decide(boss, subject).allowed;
        const decision = decide(scope, subject, [{ kind: 'agent', scope: boss }]);
        expect(decision.allowed).toBe(both);
        if (!both) expect(decision.rule.of).toBe(decide(scope, subject).allowed ? boss.agentId : scope.agentId);
      }),
      thorough,
    );
  });
});

test('every decision can be sent as it is, and asking changes nothing', () => {
  fc.assert(
    fc.property(anyone, anySubject, ceilings, (scope, subject, above) => {
      const before = structuredClone([scope, subject, above]);
      const decision = decide(scope, subject, above);
      expect(ScopeDecision.parse(decision)).toEqual(decision);
      expect(decision.reason).toMatch(/^[^\n]+\.$/);
      expect(decide(scope, subject, above)).toEqual(decision);
      expect([scope, subject, above]).toEqual(before);
    }),
  );
});

/** A matcher that goes back would not come to an end here. */
test('long names and many stars take no longer than it takes to read them', () => {
  const evil = [`${'a*'.repeat(100)}b`, `*${'a'.repeat(200)}b*`, `*b${'a'.repeat(200)}*`];
  const lists = Array.from({ length: 30 }, (_, index) => evil[index % evil.length]!);
  const scope = makeScope('x', {
    toolDenylist: lists,
    capabilityDenylist: lists,
    agentDenylist: lists,
    skillDenylist: lists,
  });
  const name = 'a'.repeat(20_000);
  expect(decide(scope, { kind: 'tool', tool: makeTool(name, { capabilities: [name, name] }) }).allowed).toBe(true);
  expect(decide(scope, { kind: 'skill', plugin: name }).allowed).toBe(true);
  expect(decide(scope, { kind: 'agent', agentId: name, uiVisible: true }).allowed).toBe(true);
});

/** The rules of the design document once more, as briefly as they can be said. */
function isEffective(scope: Scope, tool: ScopedTool): boolean {
  if (tool.name.startsWith('system_')) return true;
  const { toolAllowlist, toolDenylist, capabilityAllowlist, capabilityDenylist } = scope;
  const named = covers(toolAllowlist ?? ['*'], tool.name) && !covers(toolDenylist ?? [], tool.name);
  const enough = tool.capabilities.every((capability) => covers(capabilityAllowlist ?? ['*'], capability));
  return named && enough && !tool.capabilities.some((capability) => covers(capabilityDenylist ?? [], capability));
}

function covers(patterns: readonly string[], text: string): boolean {
  const expression = (pattern: string) =>
    pattern
      .split('*')
      .map((piece) => piece.replaceAll('.', '\\.'))
      .join('.*');
  return patterns.some((pattern) => new RegExp(`^${expression(pattern)}$`).test(text));
}
