import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDefinition, AgentList } from '../../contract/agents.ts';
import type { Problem } from '../../contract/errors.ts';
import type { KnowledgePassageList, KnowledgeSource } from '../../contract/knowledge.ts';
import { readKnowledgePath } from '../../contract/knowledge-places.ts';
import type { Message } from '../../contract/messages.ts';
import type { ExportedSession, SearchResults, Session } from '../../contract/sessions.ts';
import type { Share, SharedSession } from '../../contract/shares.ts';
import type { Team, TeamList } from '../../contract/teams.ts';
import type { Turn } from '../../contract/turns.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { pdfOf } from '../harness/documents.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { Knowing } from '../suites/knowing.ts';
import { answersIn, ask, ScriptedAgents } from '../suites/scripted-agents.ts';
import type { ProgramUnderTest } from './cli/bench.ts';

/** A program below an orchestrator, and the words that make it answer and search. */
export interface TeamProgram {
  readonly definition: object;
  /** Of the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly greet: string;
  search(query: string): string;
  close(): Promise<void>;
}

const PATIENCE_MS = 60_000;
const POLICY = pdfOf([['Travel'], ['Refunds take nine days.'], ['Trains are preferred.']]);

export function ofCommandLine(program: ProgramUnderTest): TeamProgram {
  return { ...program, greet: 'GREET', search: (query) => `SEARCH ${query}` };
}

/** A team whose orchestrator is a model and whose other agent is a program: made, used, undone. */
export function describeTeam(name: string, open: () => Promise<TeamProgram>): void {
  describe(`a team of a model and ${name}`, { timeout: PATIENCE_MS }, () => {
    let crew: Crew;
    beforeAll(async () => {
      crew = await Crew.open(await open());
    }, PATIENCE_MS);
    afterAll(() => crew?.close(), PATIENCE_MS);

    it('is made once its command is confirmed, and not before', async () => {
      const refused = await crew.parley.request<Problem>('POST', '/api/made-teams', crew.definition);
      expect([refused.status, refused.body.code]).toEqual([422, 'command_unconfirmed']);
      expect(await crew.agents()).not.toContain('crew/prog');
      const query = new URLSearchParams({ confirm: refused.body.issues![0]! });
      crew.team = await crew.parley.ok<Team>('POST', `/api/made-teams?${query}`, crew.definition);
      expect(crew.team.created).toEqual(['crew/lead', 'crew/prog']);
    });

    it('works in a session: the program answers the orchestrator by tag, under its own name', async () => {
      const id = await crew.session();
      const { greet } = crew.program;
      crew.scripted.answers('ada', `<delegate to="crew/prog">${greet}</delegate>`, ({ body }) => {
        const said = JSON.stringify(body.messages);
        return said.includes('<from agent=\\"crew/prog\\">') ? 'It greets you.' : 'I heard nothing.';
      });
      expect((await crew.say(id, 'Have it say hello.')).state).toBe('complete');
      const said = await crew.parley.transcript(id);
      expect(said.at(-2)).toMatch(/^crew\/prog: [\s\S]*Hello/);
      expect(said.at(-1)).toBe('crew/lead: It greets you.');
    });

    it('works with agents_message, in a session of the program’s own', async () => {
      const id = await crew.session();
      let answer: object | undefined;
      crew.scripted.answers('ada', [ask('crew/prog', crew.program.greet, { session: 'create' })], (request) => {
        [answer] = answersIn(request);
        return 'It has answered.';
      });
      await crew.say(id, 'Ask it.');
      expect(answer).toMatchObject({ status: 'complete', response: expect.stringContaining('Hello') });
    });

    it('cites what only the program can search, in the session and wherever the session goes', async () => {
      const { parley } = crew;
      const source = await new Knowing(parley).know('Policy [2026].pdf', POLICY, 'crew/prog');
      const id = await crew.session();
      crew.scripted.answers('ada', `<delegate to="crew/prog">${crew.program.search('refunds')}</delegate>`, 'Done.');
      expect((await crew.say(id, 'How long?')).state).toBe('complete');
      const link = `[Policy \\[2026\\].pdf, p. 2](/knowledge/${source.id}#p2)`;
      const { messages } = await parley.ok<{ messages: Message[] }>('GET', `/api/sessions/${id}/messages`);
      const answer = messages.find(({ agent, role }) => agent === 'crew/prog' && role === 'assistant')!;
      expect(answer.text).toContain(link);
      await leadsToQuote(crew, answer.text, source);

      const markdown = await parley.request<string>('GET', `/api/sessions/${id}/export?format=markdown`);
      expect(markdown.body).toContain(link);
      expect(markdown.body).toContain('> Refunds take nine days.');
      const file = await parley.ok<ExportedSession>('GET', `/api/sessions/${id}/export`);
      const copy = await parley.ok<Session>('POST', '/api/imports', file);
      expect(await parley.transcript(copy.id)).toContain(`crew/prog: ${answer.text}`);
      const { hits } = await parley.ok<SearchResults>(
        'GET',
        `/api/search?q=${encodeURIComponent('"Refunds take nine"')}`,
      );
      expect(hits.map(({ sessionId, agent }) => [sessionId, agent])).toContainEqual([id, 'crew/prog']);
      const share = await parley.ok<Share>('POST', `/api/sessions/${id}/shares`, {});
      const token = share.url.split('/').at(-1)!;
      const shared = await parley.ok<SharedSession>('GET', `/api/public/shares/${token}`);
      expect(JSON.stringify(shared.messages)).toContain(JSON.stringify(link).slice(1, -1));
    });

    it('is undone: agents, program and what the team was are gone, the knowledge is still the person’s', async () => {
      const { parley } = crew;
      await parley.ok('DELETE', `/api/made-teams/${crew.team.id}`);
      expect((await crew.agents()).filter((id) => id.startsWith('crew/'))).toEqual([]);
      expect((await parley.ok<TeamList>('GET', '/api/teams')).teams).toEqual([]);
      const { sources } = await until(
        () => parley.ok<{ sources: KnowledgeSource[] }>('GET', '/api/knowledge'),
        ({ sources: [policy] }) => policy!.agents.length === 0,
      );
      expect(sources).toMatchObject([{ name: 'Policy [2026].pdf', state: 'ready' }]);
    });
  });
}

/** The address in the answer is that of a passage, which says what was quoted. */
async function leadsToQuote({ parley }: Crew, answer: string, { id }: KnowledgeSource): Promise<void> {
  const address = /\]\((\/knowledge\/[^)]*)\)/.exec(answer)![1]!;
  const place = readKnowledgePath(address)!;
  const { passages } = await parley.ok<KnowledgePassageList>(
    'GET',
    `/api/knowledge/${place.sourceId}/passages?from=${place.passage}&limit=1`,
  );
  expect(place.sourceId).toBe(id);
  expect(passages).toMatchObject([{ number: 2, text: 'Refunds take nine days.', place: { page: 2 } }]);
}

/** A server with one agent, whose model the orchestrator uses. */
class Crew {
  readonly parley: Parley;
  readonly program: TeamProgram;
  readonly scripted: ScriptedAgents;
  readonly definition: object;
  team!: Team;
  readonly #provider: ScriptedProvider;

  private constructor(parley: Parley, program: TeamProgram, provider: ScriptedProvider) {
    this.parley = parley;
    this.program = program;
    this.#provider = provider;
    this.scripted = new ScriptedAgents(provider);
    const { chat } = scriptedAgent(provider.url, 'ada') as AgentDefinition;
    const lead = { agentId: 'crew/lead', chat, toolAllowlist: ['agents_*'] };
    const prog = { agentId: 'crew/prog', parentAgentId: 'crew/lead', ...program.definition };
    this.definition = { name: 'Crew', agents: [lead, prog] };
  }

  static async open(program: TeamProgram): Promise<Crew> {
    const provider = await ScriptedProvider.start();
    const config = { agents: [scriptedAgent(provider.url, 'ada')] };
    return new Crew(await Parley.start({ config, env: { ...program.env } }), program, provider);
  }

  async close(): Promise<void> {
    await this.parley.stop();
    await this.parley.close();
    await this.#provider.close();
    await this.program.close();
  }

  async session(): Promise<string> {
    const session = await this.parley.createSession({ teamId: this.team.id });
    expect(session).toMatchObject({ agentId: 'crew/lead', team: { name: 'Crew' } });
    return session.id;
  }

  async say(sessionId: string, content: string): Promise<Turn> {
    const { turn } = await this.parley.send(sessionId, { content });
    return until(
      () => this.parley.turn(turn.id),
      ({ endedAt }) => endedAt !== null,
      PATIENCE_MS,
    );
  }

  async agents(): Promise<string[]> {
    const { agents } = await this.parley.ok<AgentList>('GET', '/api/agents?hidden=true');
    return agents.map(({ agentId }) => agentId);
  }
}
