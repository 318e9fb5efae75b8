import { z } from 'zod';
import { Id } from '../names.ts';
import { CreateSessionTemplate, PatchSessionTemplate, SessionTemplate, SessionTemplateList } from '../templates.ts';
import type { Route } from './route.ts';

const template = { params: z.object({ templateId: Id }) };

export const TEMPLATES_ROUTES = {
  listSessionTemplates: {
    method: 'GET',
    path: '/api/session-templates',
    access: 'member',
    summary: 'What sessions can begin with',
    status: 200,
    response: SessionTemplateList,
  },
  createSessionTemplate: {
    method: 'POST',
    path: '/api/session-templates',
    access: 'member',
    summary: 'Keep something for sessions to begin with',
    body: CreateSessionTemplate,
    status: 201,
    response: SessionTemplate,
  },
  patchSessionTemplate: {
    method: 'PATCH',
    path: '/api/session-templates/{templateId}',
    access: 'member',
    summary: 'Change a template; sessions made from it stay as they are',
    ...template,
    body: PatchSessionTemplate,
    status: 200,
    response: SessionTemplate,
  },
  deleteSessionTemplate: {
    method: 'DELETE',
    path: '/api/session-templates/{templateId}',
    access: 'member',
    summary: 'Delete a template; sessions made from it stay',
    ...template,
    status: 204,
  },
} as const satisfies Record<string, Route>;
