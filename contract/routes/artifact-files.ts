import { z } from 'zod';
import {
  ArtifactFile,
  CreateArtifactFile,
  FileVersionList,
  FileVersionQuery,
  PatchArtifactFile,
  ReadContentsQuery,
} from '../artifact-files.ts';
import { Id } from '../names.ts';
import type { Route } from './route.ts';

const file = { params: z.object({ artifactFileId: Id }) };

export const ARTIFACT_FILES_ROUTES = {
  createArtifactFile: {
    method: 'POST',
    path: '/api/artifact-files',
    access: 'member',
    summary: 'Keep an uploaded file',
    body: CreateArtifactFile,
    status: 201,
    response: ArtifactFile,
  },
  getArtifactFile: {
    method: 'GET',
    path: '/api/artifact-files/{artifactFileId}',
    access: 'member',
    summary: 'Get a kept file without its contents',
    ...file,
    status: 200,
    response: ArtifactFile,
  },
  patchArtifactFile: {
    method: 'PATCH',
    path: '/api/artifact-files/{artifactFileId}',
    access: 'member',
    summary: 'Change the name, tags or contents of a kept file',
    ...file,
    body: PatchArtifactFile,
    status: 200,
    response: ArtifactFile,
  },
  listArtifactFileVersions: {
    method: 'GET',
    path: '/api/artifact-files/{artifactFileId}/versions',
    access: 'member',
    summary: 'The versions of the contents of a kept file',
    ...file,
    query: FileVersionQuery,
    status: 200,
    response: FileVersionList,
  },
  readArtifactFile: {
    method: 'GET',
    path: '/api/artifact-files/{artifactFileId}/contents',
    access: 'member',
    summary: 'Download a kept file, now or as it was',
    ...file,
    query: ReadContentsQuery,
    status: 200,
    media: '*/*',
  },
} as const satisfies Record<string, Route>;
