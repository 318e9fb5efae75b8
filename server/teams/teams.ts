import type { AgentDefinition } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type {
  Cast,
  CreateTeam,
  PatchTeam,
  SessionTeam,
  Team,
  TeamDefinition,
  TeamDetail,
  TeamFile,
  TeamJudgement,
} from '../../contract/teams.ts';
import { say } from '../../contract/texts.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { NewSession } from '../sessions/sessions.ts';
import { loadSession } from '../sessions/store.ts';
import { toTime } from '../sessions/views.ts';
import type { TeamRow } from '../storage/tables.ts';
import { castOf, lackingIn } from './cast.ts';
import { exportTeam } from './export-team.ts';
import type { JudgeDeps } from './judge-agent.ts';
import { issuesIn, judgeTeam, refuseIssues } from './judge-team.ts';
import {
  countTeams,
  deleteTeam,
  findTeam,
  findTeamByName,
  insertTeam,
  isNameTaken,
  saveTeam,
  selectDelegated,
  selectTeams,
  selectUnready,
  setReady,
} from './team-store.ts';

export interface TeamDeps extends JudgeDeps {
  readonly log: EventLog;
  /** Tells the owner's open streams that the teams have changed. */
  changed(owner: string): void;
}

/**
 * What sessions can begin with: agents that work together, led by the first. They are ordinary agents that come and go
 * with the configuration. A team that is created with its agents is seen once all of them are there; `ready_at` is null
 * until then, and `recover` decides after a crash what it comes to.
 */
export class Teams {
  readonly #deps: TeamDeps;

  constructor(deps: TeamDeps) {
    this.#deps = deps;
  }

  async list(owner: string): Promise<Team[]> {
    const rows = await selectTeams(this.#deps.log.db, owner);
    return rows.sort((a, b) => a.name.localeCompare(b.name)).map(toTeam);
  }

  async get(owner: string, id: string): Promise<TeamDetail> {
    const team = toTeam(await this.#load(this.#deps.log.db, owner, id));
    return { ...team, ...lackingIn(this.#deps.configuration.current.agents, team.agents) };
  }

  judge(definitions: readonly AgentDefinition[]): Promise<TeamJudgement> {
    return judgeTeam(this.#deps, definitions);
  }

  /** Of agents that exist. */
  async create(owner: string, { name, description, agents, allow }: CreateTeam): Promise<Team> {
    this.#assertMembers(agents);
    await this.#deps.log.write((tx) => this.#assertFree(tx, owner, name));
    if (allow) await this.#allow(agents);
    return this.#change(owner, async (tx) => {
      await this.#assertFree(tx, owner, name);
      return toTeam(await insert(tx, owner, { name, description, agents }, tx.now));
    });
  }

  /** All agents and the team, or nothing. Programs are started only as they were `confirmed`. */
  async make(owner: string, wanted: TeamDefinition, confirmed?: string): Promise<Team> {
    const { name, description, agents: definitions } = wanted;
    await this.#assertSound(definitions);
    const agents = definitions.map(({ agentId }) => agentId);
    const { id } = await this.#deps.log.write(async (tx) => {
      await this.#assertFree(tx, owner, name);
      return insert(tx, owner, { name, description, agents }, null);
    });
    reach('team.stored');
    const made = await this.#createAgents(id, definitions, confirmed);
    reach('team.before-ready');
    return this.#change(owner, (tx) => complete(tx, owner, id, made));
  }

  /** What `make` did is undone, unless one of the agents has been changed or is used by others since. Says which they were. */
  async unmake(owner: string, id: string): Promise<string[]> {
    const row = await this.#load(this.#deps.log.db, owner, id);
    const versions = new Map(Object.entries(JSON.parse(row.created_agents) as Record<string, string>));
    if (versions.size === 0) throw new AppError('team_changed', say('team_changed.nothing', { name: row.name }));
    await this.#change(owner, (tx) => setReady(tx.db, id, null));
    reach('team.hidden');
    try {
      await this.#deps.configuration.deleteAgents(versions);
    } catch (error) {
      await this.#change(owner, (tx) => setReady(tx.db, id, row.ready_at));
      if (error instanceof AppError && error.code !== 'agent_in_use')
        throw new AppError('team_changed', say('team_changed', { name: row.name, reason: error.message }));
      throw error;
    }
    await this.#change(owner, (tx) => deleteTeam(tx.db, id));
    return [...versions.keys()];
  }

  async patch(owner: string, id: string, { allow, ...patch }: PatchTeam): Promise<Team> {
    if (patch.agents) this.#assertMembers(patch.agents);
    const { db } = this.#deps.log;
    const { name, agents: members } = toTeam(await this.#load(db, owner, id));
    const wanted = patch.name ?? name;
    // Before the orchestrator is changed, which a refusal would not take back.
    if (wanted !== name && (await isNameTaken(db, owner, wanted))) throw nameTaken(wanted);
    if (allow) await this.#allow(patch.agents ?? members);
    return this.#change(owner, async (tx) => {
      const before = await this.#load(tx.db, owner, id);
      const { name = before.name, description = before.description, agents } = patch;
      if (name !== before.name && (await isNameTaken(tx.db, owner, name))) throw nameTaken(name);
      const members = agents ? JSON.stringify(agents) : before.agents;
      const row = { ...before, name, description, agents: members, updated_at: tx.now };
      await saveTeam(tx.db, row);
      return toTeam(row);
    });
  }

  /** Its agents stay, and so do sessions that began with it. */
  delete(owner: string, id: string): Promise<void> {
    return this.#change(owner, async (tx) => {
      await this.#load(tx.db, owner, id);
      await deleteTeam(tx.db, id);
    });
  }

  async export(owner: string, id: string): Promise<TeamFile> {
    const row = await this.#load(this.#deps.log.db, owner, id);
    const agents = toTeam(row).agents.map((agentId) => this.#require(row.name, agentId));
    return exportTeam({ name: row.name, description: row.description }, agents);
  }

  /** A session that begins with the team, except for what is given. */
  async apply(owner: string, id: string, given: NewSession): Promise<NewSession> {
    const { name, agents } = toTeam(await this.#load(this.#deps.log.db, owner, id));
    const agentId = given.agentId ?? agents[0]!;
    if (given.agentId === undefined) this.#require(name, agentId);
    return { ...given, agentId, team: { name, agents } };
  }

  /** The team that a session of elsewhere began with, by its name and its orchestrator; who else is in it, is what it is here. */
  async findAsHere(tx: Tx, owner: string, { name, agents }: SessionTeam): Promise<SessionTeam | null> {
    const row = await findTeamByName(tx.db, owner, name);
    const here = row && toTeam(row);
    return here?.agents[0] === agents[0] && here !== undefined ? { name, agents: here.agents } : null;
  }

  /** Who could stay together after a session. */
  async cast(owner: string, sessionId: string, orchestrator: string | undefined): Promise<Cast> {
    const { db } = this.#deps.log;
    const session = await loadSession(db, owner, sessionId);
    const spoken = { primary: session.agent_id, agents: JSON.parse(session.agents) as string[] };
    const delegated = await selectDelegated(db, sessionId);
    return castOf({ ...spoken, delegated }, this.#deps.configuration.current.agents, orchestrator);
  }

  /** After a crash: a team whose agents are all there was created, any other one was not, or was deleted. */
  async recover(): Promise<void> {
    if ((await selectUnready(this.#deps.log.db)).length === 0) return;
    await this.#deps.log.write(async (tx) => {
      for (const row of await selectUnready(tx.db)) await this.#recoverOne(tx, row);
    });
  }

  async #recoverOne(tx: Tx, row: TeamRow): Promise<void> {
    const { agents, created } = toTeam(row);
    // One that was being undone: its members can be others by now than those that were created with it.
    const known = created.length > 0;
    const found = (known ? created : agents).map((agentId) => this.#deps.configuration.current.agents.get(agentId));
    if (!found.every((agent) => agent !== undefined)) await deleteTeam(tx.db, row.id);
    else if (known) await setReady(tx.db, row.id, tx.now);
    else await complete(tx, row.owner, row.id, found);
  }

  #change<T>(owner: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.log.write(async (tx) => {
      tx.afterwards.push(() => this.#deps.changed(owner));
      return work(tx);
    });
  }

  async #createAgents(
    id: string,
    definitions: readonly AgentDefinition[],
    confirmed: string | undefined,
  ): Promise<ResolvedAgent[]> {
    try {
      return await this.#deps.configuration.createAgents(definitions, confirmed);
    } catch (error) {
      await this.#deps.log.write((tx) => deleteTeam(tx.db, id));
      throw error;
    }
  }

  async #assertSound(definitions: readonly AgentDefinition[]): Promise<void> {
    refuseIssues(issuesIn(await this.judge(definitions)));
  }

  /** Changes the definition of the orchestrator as `lacking` says. */
  async #allow(members: readonly string[]): Promise<void> {
    const { configuration } = this.#deps;
    const { changes } = lackingIn(configuration.current.agents, members);
    if (!changes) return;
    const leader = configuration.current.agents.get(members[0]!)!;
    const delegation = changes.delegation && { ...leader.definition.delegation, ...changes.delegation };
    const patch = { ...changes, ...(delegation && { delegation }) };
    await configuration.updateAgent(leader.agentId, patch, leader.version);
  }

  #assertMembers(agents: readonly string[]): void {
    const { current } = this.#deps.configuration;
    const unknown = agents.find((agentId) => !current.agents.has(agentId));
    if (unknown !== undefined) throw new AppError('agent_not_found', say('agent_not_found.list', { id: unknown }));
    const limit = current.limits.agentsPerTeam;
    refuseIssues([
      ...(agents.length > limit ? [`a team can have at most ${limit} agents`] : []),
      ...(new Set(agents).size < agents.length ? ['an agent can be in a team only once'] : []),
    ]);
  }

  #require(name: string, agentId: string): ResolvedAgent {
    const agent = this.#deps.configuration.current.agents.get(agentId);
    if (agent) return agent;
    throw new AppError('agent_not_found', say('agent_not_found.team', { name, id: agentId }));
  }

  async #assertFree(tx: Tx, owner: string, name: string): Promise<void> {
    if (await isNameTaken(tx.db, owner, name)) throw nameTaken(name);
    const limit = this.#deps.configuration.current.limits.teamsPerUser;
    if ((await countTeams(tx.db, owner)) < limit) return;
    throw new AppError('too_many_teams', say('too_many_teams', { limit }));
  }

  async #load(db: EventLog['db'] | Tx['db'], owner: string, id: string): Promise<TeamRow> {
    const row = await findTeam(db, owner, id);
    if (row) return row;
    throw new AppError('team_not_found', say('team_not_found', { id }));
  }
}

type Fields = Pick<Team, 'name' | 'description' | 'agents'>;

async function insert(tx: Tx, owner: string, { agents, ...fields }: Fields, readyAt: number | null): Promise<TeamRow> {
  const row: TeamRow = {
    id: newId(tx.now),
    owner,
    ...fields,
    agents: JSON.stringify(agents),
    created_agents: '{}',
    ready_at: readyAt,
    created_at: tx.now,
    updated_at: tx.now,
  };
  await insertTeam(tx.db, row);
  return row;
}

async function complete(tx: Tx, owner: string, id: string, agents: readonly ResolvedAgent[]): Promise<Team> {
  const versions = Object.fromEntries(agents.map(({ agentId, version }) => [agentId, version]));
  await setReady(tx.db, id, tx.now, JSON.stringify(versions));
  return toTeam((await findTeam(tx.db, owner, id))!);
}

function nameTaken(name: string): AppError {
  return new AppError('team_name_taken', say('team_name_taken', { name }));
}

function toTeam(row: TeamRow): Team {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    agents: JSON.parse(row.agents),
    created: Object.keys(JSON.parse(row.created_agents)),
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}
