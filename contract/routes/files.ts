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
    summary: 'Upload a file to attach to a message; deleted after a day if it is not sent',
    query: UploadQuery,
    upload: true,
    status: 201,
    response: FileInfo,
  },
  readFile: {
    method: 'GET',
    path: '/api/files/{fileId}',
    access: 'member',
    summary: 'Download a file',
    ...file,
    query: ReadFileQuery,
    status: 200,
    media: '*/*',
  },
  deleteFile: {
    method: 'DELETE',
    path: '/api/files/{fileId}',
    access: 'member',
    summary: 'Delete an unsent file',
    ...file,
    status: 204,
  },
} as const satisfies Record<string, Route>;
