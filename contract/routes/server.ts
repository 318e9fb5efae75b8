import { z } from 'zod';
import { AuditList, Health, SignIn, SignInLink } from '../access.ts';
import { LimitQuery, type Route } from './route.ts';

export const SERVER_ROUTES = {
  health: {
    method: 'GET',
    path: '/health',
    access: 'open',
    summary: 'Whether the server is up',
    status: 200,
    response: Health,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    access: 'member',
    summary: 'Figures for Prometheus',
    status: 200,
    media: 'text/plain',
  },
  openapi: {
    method: 'GET',
    path: '/api/openapi.json',
    access: 'member',
    summary: 'This document',
    status: 200,
    response: z.json(),
  },
  signIn: {
    method: 'POST',
    path: '/api/sign-ins',
    access: 'open',
    summary: 'Exchange a one-time code for a cookie',
    body: SignIn,
    status: 204,
  },
  signOut: {
    method: 'DELETE',
    path: '/api/sign-ins/current',
    access: 'member',
    summary: 'Forget this browser',
    status: 204,
  },
  createSignInLink: {
    method: 'POST',
    path: '/api/sign-in-links',
    access: 'member',
    summary: 'A link that signs a browser in, once',
    bodyOptional: true,
    status: 201,
    response: SignInLink,
  },
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    access: 'member',
    summary: 'Who did what',
    query: LimitQuery,
    status: 200,
    response: AuditList,
  },
} as const satisfies Record<string, Route>;
