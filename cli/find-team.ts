import type { ParleyClient } from '../client/parley-client.ts';
import { AppError } from '../contract/errors.ts';
import type { Team } from '../contract/teams.ts';

/** A team by its name, however it is capitalised, or by its id. */
export async function requireTeam(client: ParleyClient, nameOrId: string): Promise<Team> {
  const { teams } = await client.call('listTeams');
  const exact = teams.find(({ id, name }) => name === nameOrId || id === nameOrId);
  const alike = teams.filter(({ name }) => name.toLowerCase() === nameOrId.toLowerCase());
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  throw new AppError('team_not_found', `No team has the name or ID "${nameOrId}".`);
}
