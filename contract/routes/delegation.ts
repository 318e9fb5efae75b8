import { DelegationList, MentionPreview, Mentions, TurnTree, UsageQuery, UsageReport } from '../delegation.ts';
import { LimitQuery, type Route, session, turn } from './route.ts';

export const DELEGATION_ROUTES = {
  listDelegations: {
    method: 'GET',
    path: '/api/sessions/{sessionId}/delegations',
    access: 'member',
    summary: 'Work that was given to others from here: the newest of it, oldest first',
    ...session,
    query: LimitQuery,
    status: 200,
    response: DelegationList,
  },
  turnTree: {
    method: 'GET',
    path: '/api/turns/{turnId}/tree',
    access: 'member',
    summary: 'Everything done on behalf of what the person asked: who asked whom, with live states',
    ...turn,
    status: 200,
    response: TurnTree,
  },
  previewMentions: {
    method: 'POST',
    path: '/api/sessions/{sessionId}/mention-previews',
    access: 'member',
    summary: 'Who will answer a message as it is written now',
    ...session,
    body: MentionPreview,
    status: 200,
    response: Mentions,
  },
  usage: {
    method: 'GET',
    path: '/api/usage',
    access: 'member',
    summary: 'Tokens and cost, by agent, session, model or day',
    query: UsageQuery,
    status: 200,
    response: UsageReport,
  },
} as const satisfies Record<string, Route>;
