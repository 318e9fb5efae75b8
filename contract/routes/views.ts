import { z } from 'zod';
import { Id } from '../names.ts';
import { CreateView, PatchView, RunQuery, View, ViewRows, ViewRowsQuery } from '../views.ts';
import type { Route } from './route.ts';

const view = { params: z.object({ viewId: Id }) };

export const VIEWS_ROUTES = {
  createView: {
    method: 'POST',
    path: '/api/views',
    access: 'member',
    summary: 'Save a query as a view',
    body: CreateView,
    status: 201,
    response: View,
  },
  getView: {
    method: 'GET',
    path: '/api/views/{viewId}',
    access: 'member',
    summary: 'Get a view without its rows',
    ...view,
    status: 200,
    response: View,
  },
  patchView: {
    method: 'PATCH',
    path: '/api/views/{viewId}',
    access: 'member',
    summary: 'Change a view',
    ...view,
    body: PatchView,
    status: 200,
    response: View,
  },
  getViewRows: {
    method: 'GET',
    path: '/api/views/{viewId}/rows',
    access: 'member',
    summary: 'The rows that a view shows now',
    ...view,
    query: ViewRowsQuery,
    status: 200,
    response: ViewRows,
  },
  runQuery: {
    method: 'POST',
    path: '/api/view-queries',
    access: 'member',
    summary: 'The rows of a query that is not saved',
    body: RunQuery,
    status: 200,
    response: ViewRows,
  },
} as const satisfies Record<string, Route>;
