import { DelegationList, MentionPreview, Mentions, TurnTree, UsageQuery, UsageReport } from '../delegation.ts';
import { LimitQuery, type Route, session, turn } from './route.ts';

export const DELEGATION_ROUTES = {
  listDelegations: {
    method: 'GET',
    path: '/api/sessions/{sessionId}/delegations',
    access: 'member',
    summary: 'List the newest delegations from this session, oldest first',
    ...session,
    query: LimitQuery,
    status: 200,
    response: DelegationList,
  },
  turnTree: {
    method: 'GET',
    path: '/api/turns/{turnId}/tree',
    access: 'member',
    summary: 'Get the tree of a request: who asked whom, with live states',
    ...turn,
    status: 200,
    response: TurnTree,
  },
  previewMentions: {
    method: 'POST',
    path: '/api/sessions/{sessionId}/mention-previews',
    access: 'member',
    summary: 'Get the agents that will reply to a draft message',
    ...session,
    body: MentionPreview,
    status: 200,
    response: Mentions,
  },
  usage: {
    method: 'GET',
    path: '/api/usage',
    access: 'member',
    summary: 'Get tokens and cost by agent, session, model, day or delegation',
    query: UsageQuery,
    status: 200,
    response: UsageReport,
  },
} as const satisfies Record<string, Route>;
