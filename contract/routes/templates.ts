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
    summary: 'List session templates',
    status: 200,
    response: SessionTemplateList,
  },
  createSessionTemplate: {
    method: 'POST',
    path: '/api/session-templates',
    access: 'member',
    summary: 'Create a session template',
    body: CreateSessionTemplate,
    status: 201,
    response: SessionTemplate,
  },
  patchSessionTemplate: {
    method: 'PATCH',
    path: '/api/session-templates/{templateId}',
    access: 'member',
    summary: 'Change a template; its sessions stay as they are',
    ...template,
    body: PatchSessionTemplate,
    status: 200,
    response: SessionTemplate,
  },
  deleteSessionTemplate: {
    method: 'DELETE',
    path: '/api/session-templates/{templateId}',
    access: 'member',
    summary: 'Delete a template; its sessions are kept',
    ...template,
    status: 204,
  },
} as const satisfies Record<string, Route>;
