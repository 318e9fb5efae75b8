import { z } from 'zod';
import { Id } from '../names.ts';
import { Session } from '../sessions.ts';
import { CreateShare, Share, SharedSession, ShareList, ShareListQuery, ShareToken } from '../shares.ts';
import { type Route, session } from './route.ts';

const shared = { params: z.object({ token: ShareToken }) };

export const SHARES_ROUTES = {
  createShare: {
    method: 'POST',
    path: '/api/sessions/{sessionId}/shares',
    access: 'member',
    summary: 'A link under which anybody can read what has been said so far',
    ...session,
    body: CreateShare,
    bodyOptional: true,
    status: 201,
    response: Share,
  },
  listShares: {
    method: 'GET',
    path: '/api/shares',
    access: 'member',
    summary: "One's own shares",
    query: ShareListQuery,
    status: 200,
    response: ShareList,
  },
  revokeShare: {
    method: 'DELETE',
    path: '/api/shares/{shareId}',
    access: 'member',
    summary: 'Share it no longer: the link leads nowhere from then on',
    params: z.object({ shareId: Id }),
    status: 204,
  },
  copyShare: {
    method: 'POST',
    path: '/api/shares/{token}/copies',
    access: 'member',
    summary: 'A new session of your own that goes on from a share',
    ...shared,
    bodyOptional: true,
    status: 201,
    response: Session,
  },
  readShare: {
    method: 'GET',
    path: '/api/public/shares/{token}',
    access: 'open',
    summary: 'What is shared under a link, for whoever has it',
    ...shared,
    status: 200,
    response: SharedSession,
  },
} as const satisfies Record<string, Route>;
