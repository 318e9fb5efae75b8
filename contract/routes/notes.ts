import { z } from 'zod';
import { Id } from '../names.ts';
import { CreateNote, Note, NoteAtVersion, NoteVersionList, NoteVersionQuery, PatchNote } from '../notes.ts';
import type { Route } from './route.ts';

const note = { params: z.object({ noteId: Id }) };

export const NOTES_ROUTES = {
  createNote: {
    method: 'POST',
    path: '/api/notes',
    access: 'member',
    summary: 'Create a note',
    body: CreateNote,
    status: 201,
    response: Note,
  },
  getNote: {
    method: 'GET',
    path: '/api/notes/{noteId}',
    access: 'member',
    summary: 'Get a note',
    ...note,
    status: 200,
    response: Note,
  },
  patchNote: {
    method: 'PATCH',
    path: '/api/notes/{noteId}',
    access: 'member',
    summary: 'Change a note; changes of the text are merged by lines',
    ...note,
    body: PatchNote,
    status: 200,
    response: Note,
  },
  listNoteVersions: {
    method: 'GET',
    path: '/api/notes/{noteId}/versions',
    access: 'member',
    summary: 'The versions of the text of a note',
    ...note,
    query: NoteVersionQuery,
    status: 200,
    response: NoteVersionList,
  },
  getNoteVersion: {
    method: 'GET',
    path: '/api/notes/{noteId}/versions/{version}',
    access: 'member',
    summary: 'A note as it was',
    params: z.object({ noteId: Id, version: z.coerce.number().int().min(1) }),
    status: 200,
    response: NoteAtVersion,
  },
} as const satisfies Record<string, Route>;
