import type { Action } from '../../contract/actions.ts';
import { BUILDER } from '../../contract/builder.ts';
import type { Share } from '../../contract/shares.ts';
import type { Team } from '../../contract/teams.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { pdfOf } from '../harness/documents.ts';
import { Parley, until } from '../harness/parley.ts';
import type { ScriptedProvider } from '../harness/scripted-provider.ts';
import { Knowing } from '../suites/knowing.ts';
import { DemoMachine, FIX } from './demo-machine.ts';
import { play } from './demo-script.ts';
import { ANSWERS } from './demo-texts.ts';

/** What the screenshots lead to. */
export interface DemoData {
  readonly parley: Parley;
  readonly provider: ScriptedProvider;
  readonly machine: DemoMachine;
  /** Session ids by what is in them. */
  readonly sessions: Readonly<Record<DemoSession, string>>;
  readonly artifacts: DemoArtifacts;
  readonly share: Share;
  /** The id of a source. */
  readonly knowledge: string;
  /** The id of a team. */
  readonly team: string;
}

/** Ids. */
export interface DemoArtifacts {
  readonly list: string;
  readonly note: string;
  readonly view: string;
}

export type DemoSession =
  | 'delegation'
  | 'rich'
  | 'languages'
  | 'approval'
  | 'question'
  | 'nested'
  | 'subAgent'
  | 'failure'
  | 'empty'
  | 'streaming'
  | 'paste'
  | 'tools'
  | 'bash'
  | 'changes'
  | 'builder';

const AGENTS = [
  { agentId: 'team/orchestrator', displayName: 'Orchestrator', agentAllowlist: null, delegation: { tags: true } },
  {
    agentId: 'team/coder',
    displayName: 'Coder',
    parentAgentId: 'team/orchestrator',
    description: 'Writes and changes code, and runs it.',
    toolAllowlist: ['bash', 'todo_*', 'notes_*'],
    starters: ['Explain this repository', 'Find the slowest test', 'Write a migration'],
  },
  { agentId: 'team/reviewer', displayName: 'Reviewer', parentAgentId: 'team/orchestrator', icon: '🔎' },
  { agentId: 'team/researcher', displayName: 'Researcher', toolAllowlist: null, agentAllowlist: null },
  {
    agentId: 'wisp/concierge',
    displayName: 'Concierge',
    toolAllowlist: ['ask_user', 'agents_message'],
    agentAllowlist: null,
  },
  { agentId: 'translator', displayName: 'Übersetzerin', description: 'Translates between forty languages.' },
  { agentId: 'principal', displayName: 'Principal Staff Engineer for Distributed Systems and Storage' },
];

/** A server on which everything that can be shown is there to be seen. */
export async function startDemoData(provider: ScriptedProvider): Promise<DemoData> {
  const machine = await DemoMachine.start();
  const agents = AGENTS.map(({ agentId, ...more }) => scriptedAgent(provider.url, agentId, more));
  const parley = await Parley.start({
    config: {
      agents: [...agents, machine.fixer],
      tools: { bash: { agents: ['team/coder'] }, fetch: { allowHosts: machine.hosts } },
    },
    env: { ...machine.env, ...(process.env.PARLEY_WEB ? { PARLEY_WEB: process.env.PARLEY_WEB } : {}) },
  });
  provider.script((request) => play(request, provider.url));
  const sessions = await fillSessions(parley, provider);
  await fillList(parley);
  const share = await parley.ok<Share>('POST', `/api/sessions/${sessions.rich}/shares`, { toolDetails: true });
  await addSchedules(parley);
  await addWebhooks(parley);
  await addMemories(parley);
  for (const device of machine.devices()) await parley.ok('POST', '/api/push-subscriptions', device);
  const remote = { agentId: 'remote/far', displayName: 'Far', type: 'a2a', a2a: { url: machine.peer.url } };
  await parley.ok('POST', '/api/agents', remote);
  const artifacts = await addArtifacts(parley);
  const knowledge = await addKnowledge(parley, artifacts.note);
  return { parley, provider, machine, sessions, artifacts, share, knowledge, team: await addTeams(parley) };
}

async function addTeams(parley: Parley): Promise<string> {
  const trio = ['team/orchestrator', 'team/coder', 'team/reviewer', 'team/researcher'];
  const description = 'Writes, reviews and explains changes to the billing service.';
  const { id } = await parley.ok<Team>('POST', '/api/teams', { name: 'Billing', description, agents: trio });
  await parley.ok('POST', '/api/teams', { name: 'Sprachen', agents: ['wisp/concierge', 'translator', 'principal'] });
  return id;
}

async function fillSessions(parley: Parley, provider: ScriptedProvider): Promise<Record<DemoSession, string>> {
  const talk = async (agentId: string, ...words: string[]) => {
    const { id } = await parley.createSession({ agentId });
    for (const content of words) await parley.say(id, { content });
    return id;
  };
  const waiting = async (agentId: string, content: string) => {
    const { id } = await parley.createSession({ agentId });
    await parley.send(id, { content });
    await until(
      () => parley.session(id),
      ({ status }) => ['waiting', 'error'].includes(status),
    );
    return id;
  };
  const rich = await talk('team/coder', 'rich: Show me how the billing totals are computed');
  await parley.say(rich, { content: 'And what do you think?', guest: 'team/reviewer' });
  const nested = await waiting('wisp/concierge', 'nested: have the coder clean up');
  const { actions } = await parley.ok<{ actions: Action[] }>('GET', '/api/actions?limit=500');
  const subAgent = actions.find(({ chain }) => chain.length > 1)?.sessionId ?? nested;
  const paste = await parley.createSession({ agentId: 'principal' });
  await parley.say(paste.id, { content: `paste: what is wrong here?\n\n${LOG}` });
  await parley.ok('POST', '/api/agents', {
    agentId: BUILDER.agentId,
    extends: BUILDER.template,
    chat: chatOf(provider),
  });
  const bash = await talk('team/researcher', 'lists: plan the release');
  return {
    rich,
    nested,
    subAgent,
    bash,
    paste: paste.id,
    delegation: await talk('team/orchestrator', 'delegate: split invoice.ts into pure functions'),
    languages: await talk(
      'translator',
      'languages: مرحبا، كيف تسير الأمور؟ هذا نص عربي مع كلمة English في الوسط.',
      'languages: 会議は何時に始まりますか。資料も送ってください。',
    ),
    approval: await waiting('team/coder', 'approve: clean the build folder'),
    question: await waiting('wisp/concierge', 'question: book a table'),
    failure: await waiting('team/reviewer', 'fail: review the pull request'),
    empty: (await parley.createSession({ agentId: 'team/coder' })).id,
    streaming: (await parley.createSession({ agentId: 'team/coder' })).id,
    tools: await talk('team/researcher', 'tools: what is on my list?'),
    changes: await talk('team/fixer', FIX),
    builder: await talk('parley/builder', 'draft: an agent that watches the weather'),
  };
}

function chatOf({ url }: ScriptedProvider): object {
  return { provider: 'openai-compatible', model: 'model-of-builder', baseUrl: `${url}/v1` };
}

/** Enough sessions, days and folders for the list to scroll. */
async function fillList(parley: Parley): Promise<void> {
  for (const [at, title] of TITLES.entries()) {
    const agent = AGENTS[at % AGENTS.length]!.agentId;
    const { id } = await parley.ok<{ id: string }>('POST', '/api/imports', {
      agent,
      title,
      messages: [
        { role: 'user', content: title },
        { role: 'assistant', agent, content: ANSWERS.short },
      ],
    });
    if (at % 4 === 1)
      await parley.ok('PATCH', `/api/sessions/${id}`, { folder: at % 8 === 1 ? 'Billing' : 'Household' });
    if (at === 6) await parley.ok('PUT', `/api/sessions/${id}/pin`, {});
  }
}

const TITLES = [
  'Competitor research: pricing pages of seven vendors',
  'Rename the storage module without breaking imports',
  'Weekly shopping list',
  'What changed in the tax rules for home offices this year, and does it matter to us?',
  'Why is the nightly build slow?',
  'Holiday plans for July',
  'Standing notes',
  'الاجتماع القادم مع فريق التصميم',
  'Garden: what to plant in March',
  '新しいオフィスの見積もり',
  'Draft of the speech',
  'Postgres or SQLite for the archive?',
];

const LOG = Array.from(
  { length: 90 },
  (_, at) =>
    `2026-11-17T10:${String(at % 60).padStart(2, '0')}:12Z WARN queue=${at} retry in ${at * 50} ms, connection reset by peer`,
).join('\n');

async function addSchedules(parley: Parley): Promise<void> {
  const { agents } = await parley.ok<{ agents: { agentId: string }[] }>('GET', '/api/agents');
  const agentId = agents[0]!.agentId;
  const add = (name: string, when: string, content: string) =>
    parley.ok<{ id: string }>('POST', '/api/schedules', { name, when, content, agentId });
  await add('Morning briefing', 'every weekday at 8', 'What is due today, and what waits for me?');
  const paused = await add('Release check', 'every 2 hours', 'Is the build green?');
  await parley.ok('POST', `/api/schedules/${paused.id}/pause`);
}

async function addWebhooks(parley: Parley): Promise<void> {
  const events = ['turn.settled', 'action.opened'];
  const out = await parley.ok<{ webhook: { id: string } }>('POST', '/api/outgoing-webhooks', {
    name: 'Build server',
    url: 'https://ci.example.com/parley',
    events,
  });
  await parley.ok('POST', `/api/outgoing-webhooks/${out.webhook.id}/pause`);
  await parley.ok('POST', '/api/incoming-webhooks', { name: 'Alerts', agentId: 'team/coder' });
}

async function addMemories(parley: Parley): Promise<void> {
  const add = (text: string, wanted: object = {}) =>
    parley.ok('POST', '/api/memories', { agentId: 'team/coder', text, ...wanted });
  await add('The deploy day is Thursday; nothing is released on Fridays.', { topic: 'releases', tags: ['deploy'] });
  await add('Prefers small commits with the reason in the message.');
}

async function addArtifacts(parley: Parley): Promise<DemoArtifacts> {
  const make = (kind: string, body: object) => parley.ok<{ id: string }>('POST', `/api/${kind}`, body);
  const fields = [
    { id: 'rating', name: 'Rating', type: 'number' },
    { id: 'state', name: 'State', type: 'choice', choices: ['new', 'reading', 'read'] },
  ];
  const list = await make('lists', { name: 'Books for the winter', fields });
  const items = BOOKS.map((title, at) => ({
    title,
    tags: at % 2 ? ['novel'] : [],
    due: at === 1 ? '2026-12-24' : null,
  }));
  await make(`lists/${list.id}/items`, { items });
  const note = await make('notes', { name: 'Trip to Rome', text: ROME, tags: ['travel'] });
  const view = await make('views', { name: 'Everything that is due', query: {}, layout: 'table' });
  return { list: list.id, note: note.id, view: view.id };
}

const BOOKS = [
  'Emma',
  'The Remains of the Day',
  'A book with a title that is so long that it does not fit on one line of a telephone, and hardly on one of a desk',
  'Der Zauberberg',
];

const ROME = '# Plan\n\n- trains by night\n- **three** days\n\nSee [[Books for the winter]].\n';

/** What the orchestrator can search, read well and not. */
async function addKnowledge(parley: Parley, noteId: string): Promise<string> {
  const knowing = new Knowing(parley);
  const agent = 'team/orchestrator';
  const pages = ['Travel', 'Refunds', 'Trains', 'Hotels'].map((title) => [title, ...POLICY_LINES]);
  const { id } = await knowing.know('Travel policy 2026.pdf', pdfOf(pages), { agent, children: 'true' });
  await knowing.know('queue.ts', 'export function enqueue(work: Work): void {\n  waiting.push(work);\n}\n', agent);
  await knowing.know('scan of the contract.pdf', pdfOf([[]]), agent);
  await parley.ok('POST', '/api/knowledge-notes', { noteId, agent });
  return id;
}

const POLICY_LINES = ['Trips are booked by the office at least a week ahead.', 'Refunds take nine working days.'];
