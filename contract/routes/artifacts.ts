import { z } from 'zod';
import { ExportedArtifacts, ImportedArtifacts } from '../artifact-export.ts';
import {
  ArtifactChangeList,
  ArtifactChangeQuery,
  ArtifactList,
  ArtifactListQuery,
  ArtifactSearchQuery,
  ArtifactSearchResults,
  ArtifactSummary,
  DeleteArtifactQuery,
  UndoArtifactChanges,
  UndoneChanges,
} from '../artifacts.ts';
import { Id } from '../names.ts';
import type { Route } from './route.ts';

const artifact = { params: z.object({ artifactId: Id }) };

export const ARTIFACTS_ROUTES = {
  listArtifacts: {
    method: 'GET',
    path: '/api/artifacts',
    access: 'member',
    summary: 'List lists, notes, views and files, most recently changed first',
    query: ArtifactListQuery,
    status: 200,
    response: ArtifactList,
  },
  searchArtifacts: {
    method: 'GET',
    path: '/api/artifact-search',
    access: 'member',
    summary: 'Search lists with their items, notes, views and files',
    query: ArtifactSearchQuery,
    status: 200,
    response: ArtifactSearchResults,
  },
  importArtifacts: {
    method: 'POST',
    path: '/api/artifact-imports',
    access: 'member',
    summary: 'Add lists, notes and views that were exported; those that are there already stay as they are',
    body: ExportedArtifacts,
    status: 200,
    response: ImportedArtifacts,
  },
  getArtifact: {
    method: 'GET',
    path: '/api/artifacts/{artifactId}',
    access: 'member',
    summary: 'What an artifact is, whatever its kind',
    ...artifact,
    status: 200,
    response: ArtifactSummary,
  },
  deleteArtifact: {
    method: 'DELETE',
    path: '/api/artifacts/{artifactId}',
    access: 'member',
    summary: 'Move an artifact to the trash, or delete it for good',
    ...artifact,
    query: DeleteArtifactQuery,
    status: 204,
  },
  restoreArtifact: {
    method: 'POST',
    path: '/api/artifacts/{artifactId}/restore',
    access: 'member',
    summary: 'Take an artifact out of the trash',
    ...artifact,
    status: 200,
    response: ArtifactSummary,
  },
  listArtifactChanges: {
    method: 'GET',
    path: '/api/artifacts/{artifactId}/changes',
    access: 'member',
    summary: 'The history of an artifact',
    ...artifact,
    query: ArtifactChangeQuery,
    status: 200,
    response: ArtifactChangeList,
  },
  undoArtifactChanges: {
    method: 'POST',
    path: '/api/artifacts/{artifactId}/undo',
    access: 'member',
    summary: 'Undo changes; undo the undoing to redo them',
    ...artifact,
    body: UndoArtifactChanges,
    status: 200,
    response: UndoneChanges,
  },
} as const satisfies Record<string, Route>;
