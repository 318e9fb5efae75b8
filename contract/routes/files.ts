import { z } from 'zod';
import { FileInfo, ReadFileQuery, UploadQuery } from '../files.ts';
import { Id } from '../names.ts';
import type { Route } from './route.ts';

const file = { params: z.object({ fileId: Id }) };

export const FILES_ROUTES = {
  uploadFile: {
    method: 'POST',
    path: '/api/files',
    access: 'member',
    summary: 'Send a file up, to attach it to a message; what is not sent within a day is forgotten',
    query: UploadQuery,
    upload: true,
    status: 201,
    response: FileInfo,
  },
  readFile: {
    method: 'GET',
    path: '/api/files/{fileId}',
    access: 'member',
    summary: 'The contents of a file',
    ...file,
    query: ReadFileQuery,
    status: 200,
    media: '*/*',
  },
  deleteFile: {
    method: 'DELETE',
    path: '/api/files/{fileId}',
    access: 'member',
    summary: 'Forget a file that is not part of a message',
    ...file,
    status: 204,
  },
} as const satisfies Record<string, Route>;
