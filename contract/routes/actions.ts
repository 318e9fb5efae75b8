import { z } from 'zod';
import { Action, ActionList, ActionListQuery, AnswerAction } from '../actions.ts';
import { Id } from '../names.ts';
import { GrantList } from '../tools.ts';
import type { Route } from './route.ts';

const action = { params: z.object({ actionId: Id }) };

export const ACTIONS_ROUTES = {
  listActions: {
    method: 'GET',
    path: '/api/actions',
    access: 'member',
    summary: 'List actions',
    query: ActionListQuery,
    status: 200,
    response: ActionList,
  },
  getAction: {
    method: 'GET',
    path: '/api/actions/{actionId}',
    access: 'member',
    summary: 'Get an action',
    ...action,
    status: 200,
    response: Action,
  },
  answerAction: {
    method: 'POST',
    path: '/api/actions/{actionId}/answer',
    access: 'member',
    summary: 'Approve, deny, answer, continue or retry',
    ...action,
    body: AnswerAction,
    status: 200,
    response: Action,
  },
  listGrants: {
    method: 'GET',
    path: '/api/grants',
    access: 'member',
    summary: 'List saved approvals',
    status: 200,
    response: GrantList,
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/api/grants/{grantId}',
    access: 'member',
    summary: 'Revoke a saved approval',
    params: z.object({ grantId: Id }),
    status: 204,
  },
} as const satisfies Record<string, Route>;
