import { z } from 'zod';
import { ArtifactName, Author, artifactFields, BaseVersion, NewArtifactId, Tag, Tags } from './artifacts.ts';
import { FileKind } from './files.ts';
import { Id, Timestamp } from './names.ts';

/** What is in one version of a file, known by its hash: the same contents are stored once. */
export const FileContents = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(1),
  mediaType: z.string().max(255).describe('As it was said to be, or told from the name'),
  kind: FileKind,
});
export type FileContents = z.infer<typeof FileContents>;

export const ArtifactFile = z.object({
  kind: z.literal('file'),
  ...artifactFields,
  tags: z.array(Tag),
  contents: FileContents,
});
export type ArtifactFile = z.infer<typeof ArtifactFile>;

const fileId = Id.describe('An uploaded file, or one of a message');

export const CreateArtifactFile = z.strictObject({
  id: NewArtifactId,
  name: ArtifactName,
  fileId,
  tags: Tags.default([]),
});
export type CreateArtifactFile = z.output<typeof CreateArtifactFile>;

export const PatchArtifactFile = z
  .strictObject({
    name: ArtifactName.optional(),
    fileId: fileId.optional(),
    fromVersion: z.int().min(1).optional().describe('Instead of `fileId`: the contents of an earlier version'),
    tags: Tags.optional(),
    base: BaseVersion,
  })
  .refine(({ fileId, fromVersion }) => fileId === undefined || fromVersion === undefined, {
    error: 'must not be given with fileId',
    path: ['fromVersion'],
  });
export type PatchArtifactFile = z.infer<typeof PatchArtifactFile>;

export const FileVersion = z.object({ version: z.int(), by: Author, at: Timestamp, contents: FileContents });
export type FileVersion = z.infer<typeof FileVersion>;

export const FileVersionQuery = z.strictObject({
  before: z.coerce.number().int().optional().describe('Only versions before this one'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const FileVersionList = z.object({
  versions: z.array(FileVersion).describe('Newest first'),
  isComplete: z.boolean().describe('There are no older ones'),
});
export type FileVersionList = z.infer<typeof FileVersionList>;

export const ReadContentsQuery = z.strictObject({
  version: z.coerce.number().int().min(1).optional().describe('As it was in this version'),
});
