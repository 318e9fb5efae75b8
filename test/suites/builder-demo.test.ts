import { afterAll, beforeAll, expect, it } from 'vitest';
import { isDraftCall, readTeamDraft } from '../../client/agent-draft.ts';
import type { Action } from '../../contract/actions.ts';
import type { AgentDetail } from '../../contract/agents.ts';
import { BUILDER, BUILDER_TOOLS } from '../../contract/builder.ts';
import { Parley, until } from '../harness/parley.ts';
import { callsIn } from './calling.ts';

let parley: Parley;
beforeAll(async () => {
  parley = await Parley.start();
  const { version } = await parley.ok<AgentDetail>('GET', `/api/agents/${BUILDER.agentId}`);
  const fast = { chat: { provider: 'demo', model: 'demo-fast' } };
  await parley.ok('PATCH', `/api/agents/${BUILDER.agentId}`, fast, { 'If-Match': version });
});
afterAll(() => parley.close());

async function newest(sessionId: string) {
  return (await parley.messages(sessionId)).at(-1)!;
}

/** The draft as it stands after something was said. */
async function draftAfter(sessionId: string, content: string) {
  await parley.say(sessionId, { content });
  const call = callsIn(await newest(sessionId)).findLast(({ name }) => name === BUILDER_TOOLS.draft);
  return JSON.parse(call!.input).definition;
}

it('somebody who has just arrived makes an agent by talking about it, without a key', async () => {
  const { id } = await parley.createSession({ agentId: BUILDER.agentId });
  const first = await draftAfter(id, 'I need an agent that plans trips and keeps my to-dos');
  expect(first).toMatchObject({
    agentId: 'trips-planner',
    displayName: 'Trips Planner',
    description: 'Plans trips and keeps my to-dos.',
    extends: 'planner',
    toolAllowlist: ['todo_*'],
    chat: { provider: 'demo' },
  });
  expect((await newest(id)).text).toContain('It can use todo_add, todo_list');
  const second = await draftAfter(id, 'Call it Scout, it may use the web and should ask first');
  expect(second).toMatchObject({ agentId: 'scout', displayName: 'Scout', toolAllowlist: ['todo_*', 'web_fetch'] });
  expect(second.approvals).toEqual({ 'todo_*': 'ask', web_fetch: 'ask' });
  const third = await draftAfter(id, 'Never propose anything before nine in the morning');
  expect(third.systemPrompt).toContain('Never propose anything before nine in the morning.');
  const byHand = { ...third, displayName: 'Scout the Planner' };
  const words = `Shorter, please.\n\nThe draft as I changed it by hand:\n\n\`\`\`json\n${JSON.stringify(byHand)}\n\`\`\``;
  expect((await draftAfter(id, words)).displayName).toBe('Scout the Planner');

  const sent = parley.say(id, { content: 'create it' });
  const [action] = await until(
    async () => (await parley.ok<{ actions: Action[] }>('GET', `/api/actions?session=${id}`)).actions,
    (actions) => actions.length === 1,
  );
  await parley.ok('POST', `/api/actions/${action!.id}/answer`, { decision: 'once' });
  await sent;
  expect((await newest(id)).text).toBe('Created Scout the Planner (scout). You can find it in the list of agents.');
  const { definition } = await parley.ok<AgentDetail>('GET', '/api/agents/scout');
  expect(definition).toMatchObject({ displayName: 'Scout the Planner', approvals: { web_fetch: 'ask' } });
});

it('a name that somebody has gets a number', async () => {
  await parley.ok('POST', '/api/agents', { agentId: 'scribe', chat: { provider: 'demo' } });
  const { id } = await parley.createSession({ agentId: BUILDER.agentId });
  expect((await draftAfter(id, 'An assistant called Scribe that reads the news')).agentId).toBe('scribe-2');
});

it('a message of a megabyte costs no more than reading it', async () => {
  const { id } = await parley.createSession({ agentId: BUILDER.agentId });
  for (const piece of ['```json\n{', '! ', 'called A', 'an agent that ', 'a team of a b, and '])
    await parley.say(id, { content: piece.repeat(Math.floor(900_000 / piece.length)) });
  expect((await parley.messages(id)).length).toBeGreaterThanOrEqual(8);
});

/** What was last said about a team, and the calls that were made for it. */
async function teamAfter(sessionId: string, content: string) {
  await parley.say(sessionId, { content });
  const calls = (await parley.messages(sessionId)).flatMap(callsIn).map(({ name, input }) => ({ name, input }));
  return readTeamDraft(calls.filter(({ name }) => isDraftCall(name)));
}

it('somebody who has just arrived makes a team of three from one sentence, without a key', async () => {
  const { id } = await parley.createSession({ agentId: BUILDER.agentId });
  const first = await teamAfter(id, 'I need a team of three that writes and reviews blog posts');
  expect(first).toMatchObject({
    name: 'Blog Posts Team',
    agents: [
      { agentId: 'blog-posts/lead', extends: 'orchestrator', agentAllowlist: ['blog-posts/*'] },
      { agentId: 'blog-posts/writer', parentAgentId: 'blog-posts/lead', extends: 'writer' },
      { agentId: 'blog-posts/reviewer', parentAgentId: 'blog-posts/lead' },
    ],
  });
  const second = await teamAfter(id, 'The writer may use the web and should ask first');
  expect(second!.agents[1]).toMatchObject({ toolAllowlist: ['web_fetch'], approvals: { web_fetch: 'ask' } });
  const third = await teamAfter(id, 'Without the reviewer, please');
  expect(third!.agents.map(({ agentId }) => agentId)).toEqual(['blog-posts/lead', 'blog-posts/writer']);
  const byHand = { ...third!, name: 'Bloggers' };
  const words = `My edited version of the draft:\n\n\`\`\`json\n${JSON.stringify(byHand)}\n\`\`\``;
  expect((await teamAfter(id, words))!.name).toBe('Bloggers');
  const sent = parley.say(id, { content: 'create it' });
  const [action] = await until(
    async () => (await parley.ok<{ actions: Action[] }>('GET', `/api/actions?session=${id}`)).actions,
    (actions) => actions.length === 1,
  );
  await parley.ok('POST', `/api/actions/${action!.id}/answer`, { decision: 'once' });
  await sent;
  expect((await newest(id)).text).toContain('Created the team Bloggers: blog-posts/lead, blog-posts/writer.');
});

it.each([
  ['I need a team of a researcher, a writer and a reviewer', 'new', ['researcher', 'writer', 'reviewer']],
  ['a team of three: a researcher, a writer and a reviewer', 'new', ['researcher', 'writer', 'reviewer']],
  [
    'a team with a researcher, an editor, and a fact checker for travel guides',
    'travel-guides',
    ['researcher', 'editor', 'fact-checker'],
  ],
  ['a team of a translator and a lawyer for contracts', 'contracts', ['translator', 'lawyer']],
  [
    'a team of three that researches, writes and reviews release notes',
    'release-notes',
    ['researcher', 'writer', 'reviewer'],
  ],
  ['a team of four: a writer and a reviewer for songs', 'songs', ['writer', 'reviewer', 'researcher']],
])('every role that is named becomes an agent: %s', async (asked, folder, roles) => {
  const { id } = await parley.createSession({ agentId: BUILDER.agentId });
  const team = await teamAfter(id, asked);
  expect(team!.agents.map(({ agentId }) => agentId)).toEqual(['lead', ...roles].map((role) => `${folder}/${role}`));
});

it('a team whose names are taken gets a number, and an agent for a team is an agent', async () => {
  const { id } = await parley.createSession({ agentId: BUILDER.agentId });
  const again = await teamAfter(id, 'I need a team of three that writes and reviews blog posts');
  expect(again!.agents[0]!.agentId).toBe('blog-posts-team-2/lead');
  const other = await parley.createSession({ agentId: BUILDER.agentId });
  expect((await draftAfter(other.id, 'An agent that keeps to-dos for the team')).toolAllowlist).toEqual(['todo_*']);
});
