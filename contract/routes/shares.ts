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
    summary: 'Create a link to a read-only copy of the session',
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
    summary: 'List your shares',
    query: ShareListQuery,
    status: 200,
    response: ShareList,
  },
  revokeShare: {
    method: 'DELETE',
    path: '/api/shares/{shareId}',
    access: 'member',
    summary: 'Revoke a share; its link stops working',
    params: z.object({ shareId: Id }),
    status: 204,
  },
  copyShare: {
    method: 'POST',
    path: '/api/shares/{token}/copies',
    access: 'member',
    summary: 'Create your own session from a share',
    ...shared,
    bodyOptional: true,
    status: 201,
    response: Session,
  },
  readShare: {
    method: 'GET',
    path: '/api/public/shares/{token}',
    access: 'open',
    summary: 'Get a shared copy by its link',
    ...shared,
    status: 200,
    response: SharedSession,
  },
} as const satisfies Record<string, Route>;
