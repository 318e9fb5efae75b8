import { insertion, statement } from '../storage/statement.ts';
import type { Db, TeamRow } from '../storage/tables.ts';

export const insertTeam = insertion<TeamRow>('teams');

export const selectTeams = statement<TeamRow>('SELECT * FROM teams WHERE owner = ? AND ready_at IS NOT NULL');

export async function findTeam(db: Db, owner: string, id: string): Promise<TeamRow | undefined> {
  return (await selectOne(db, id, owner))[0];
}

const selectOne = statement<TeamRow>('SELECT * FROM teams WHERE id = ? AND owner = ? AND ready_at IS NOT NULL');

export async function findTeamByName(db: Db, owner: string, name: string): Promise<TeamRow | undefined> {
  return (await selectByName(db, owner, name))[0];
}

const selectByName = statement<TeamRow>('SELECT * FROM teams WHERE owner = ? AND name = ? AND ready_at IS NOT NULL');

/** Also of a team that is being created or deleted. */
export async function isNameTaken(db: Db, owner: string, name: string): Promise<boolean> {
  return (await selectNamed(db, owner, name)).length > 0;
}

const selectNamed = statement<{ id: string }>('SELECT id FROM teams WHERE owner = ? AND name = ?');

export async function countTeams(db: Db, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM teams WHERE owner = ?');

export function saveTeam(db: Db, { name, description, agents, updated_at, id }: TeamRow): Promise<unknown> {
  return update(db, name, description, agents, updated_at, id);
}

const update = statement('UPDATE teams SET name = ?, description = ?, agents = ?, updated_at = ? WHERE id = ?');

/** Null takes it out of sight while its agents are being deleted. */
export function setReady(db: Db, id: string, readyAt: number | null, created?: string): Promise<unknown> {
  return created === undefined ? setTime(db, readyAt, id) : setCreated(db, readyAt, created, id);
}

const setTime = statement('UPDATE teams SET ready_at = ? WHERE id = ?');
const setCreated = statement('UPDATE teams SET ready_at = ?, created_agents = ? WHERE id = ?');

export async function deleteTeam(db: Db, id: string): Promise<void> {
  await remove(db, id);
}

const remove = statement('DELETE FROM teams WHERE id = ?');

/** Of a creation or deletion that a crash has cut off. */
export const selectUnready = statement<TeamRow>('SELECT * FROM teams WHERE ready_at IS NULL');

export interface Delegated {
  from_agent: string;
  to_agent: string;
}

/** Who gave work to whom in a session, in order; work that went on in the background belongs to its own agent. */
export const selectDelegated = statement<Delegated>(
  `SELECT from_agent, to_agent FROM delegations WHERE parent_session_id = ? AND via <> 'background'
  ORDER BY created_at, turn_id`,
);
