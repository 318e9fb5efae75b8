import { z } from 'zod';
import { Id } from '../names.ts';
import { Session } from '../sessions.ts';
import {
  Cast,
  CastQuery,
  CreateTeam,
  PatchTeam,
  Team,
  TeamDefinition,
  TeamDetail,
  TeamFile,
  TeamJudgement,
  TeamList,
  TryTeam,
} from '../teams.ts';
import { ConfirmQuery } from './agents.ts';
import { type Route, session } from './route.ts';

const team = { params: z.object({ teamId: Id }) };

export const TEAMS_ROUTES = {
  listTeams: {
    method: 'GET',
    path: '/api/teams',
    access: 'member',
    summary: 'List teams',
    status: 200,
    response: TeamList,
  },
  createTeam: {
    method: 'POST',
    path: '/api/teams',
    access: 'member',
    summary: 'Save agents that exist as a team',
    body: CreateTeam,
    status: 201,
    response: Team,
  },
  getTeam: {
    method: 'GET',
    path: '/api/teams/{teamId}',
    access: 'member',
    summary: 'Get a team, and what its orchestrator lacks to delegate to its other agents',
    ...team,
    status: 200,
    response: TeamDetail,
  },
  patchTeam: {
    method: 'PATCH',
    path: '/api/teams/{teamId}',
    access: 'member',
    summary:
      'Change a team; its sessions stay as they are, and its agents unless the orchestrator is to be allowed more',
    ...team,
    body: PatchTeam,
    status: 200,
    response: Team,
  },
  deleteTeam: {
    method: 'DELETE',
    path: '/api/teams/{teamId}',
    access: 'member',
    summary: 'Delete a team; its agents and sessions are kept',
    ...team,
    status: 204,
  },
  exportTeam: {
    method: 'GET',
    path: '/api/teams/{teamId}/export',
    access: 'member',
    summary: 'Export a team with the definitions of its agents; keys that are written out are left out',
    ...team,
    status: 200,
    response: TeamFile,
  },
  makeTeam: {
    method: 'POST',
    path: '/api/made-teams',
    access: 'member',
    summary: 'Create a team with all its agents: all of them or none',
    query: ConfirmQuery,
    body: TeamDefinition,
    status: 201,
    response: Team,
  },
  unmakeTeam: {
    method: 'DELETE',
    path: '/api/made-teams/{teamId}',
    access: 'member',
    summary: 'Undo the creation of a team: deletes it with the agents created with it, unless one of them has changed',
    ...team,
    status: 204,
  },
  judgeTeam: {
    method: 'POST',
    path: '/api/team-judgements',
    access: 'member',
    summary: 'Check a team as if it were created now; nothing is saved',
    body: TeamDefinition,
    status: 200,
    response: TeamJudgement,
  },
  tryTeam: {
    method: 'POST',
    path: '/api/team-trials',
    access: 'member',
    summary: 'Create a session in which agents can be tried that do not exist; they end with the session',
    query: ConfirmQuery,
    body: TryTeam,
    status: 201,
    response: Session,
  },
  sessionCast: {
    method: 'GET',
    path: '/api/sessions/{sessionId}/cast',
    access: 'member',
    summary: 'Get the agents of a session as a team, and what its orchestrator lacks to delegate to them',
    ...session,
    query: CastQuery,
    status: 200,
    response: Cast,
  },
} as const satisfies Record<string, Route>;
