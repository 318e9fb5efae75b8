import { expect, it } from 'vitest';
import { agentLooks } from '../../contract/agent-looks.ts';

const NAMES = ['Orchestrator', 'Coder', 'Reviewer', 'Researcher', 'Code Reviewer', 'Writer', 'Tester', 'Planner'];
const named = (names: readonly string[]) => names.map((name) => ({ agentId: `team/${name}`, displayName: name }));

it('gives agents different colours as long as there are enough, and keeps them when others are added', () => {
  const looks = agentLooks(named(NAMES));
  expect(new Set([...looks.values()].map(({ color }) => color)).size).toBe(NAMES.length);
  const more = agentLooks(named([...NAMES, 'Archivist', 'Translator', 'Scout', 'Editor']));
  for (const [agentId, look] of looks) expect(more.get(agentId)).toEqual(look);
  const uses = Map.groupBy(more.values(), ({ color }) => color);
  expect(Math.max(...[...uses.values()].map((some) => some.length))).toBe(2);
});

it('takes initials from the name, and different ones where it can', () => {
  const looks = agentLooks([...named(NAMES), { agentId: 'no-key', displayName: 'Claude' }]);
  const initials = [...looks.values()].map((look) => look.initials);
  expect(initials).toEqual(['OR', 'CO', 'RE', 'RS', 'CR', 'WR', 'TE', 'PL', 'CL']);
});

it('leaves a configured colour as it is', () => {
  expect(agentLooks([{ agentId: 'a', displayName: 'A', color: '#123456' }]).get('a')?.color).toBe('#123456');
});
