import { z } from 'zod';
import { Id, Timestamp } from './names.ts';

/** What agents can be shown of an attached file besides its name. */
export const Attachable = z.enum(['text', 'image']);
export type Attachable = z.infer<typeof Attachable>;

/** `text`: UTF-8 of at most 200 kB. `image`: PNG, JPEG, GIF or WebP. Told by what is in it, not by what it is called. */
export const FileKind = z.enum(['text', 'image', 'other']);
export type FileKind = z.infer<typeof FileKind>;

export const TEXT_FILE_BYTES = 200_000;
/** A larger image is attached and shown to people; models are only told of it. */
export const IMAGE_FILE_BYTES = 5_000_000;

const name = z.string().trim().min(1).max(255);
const mediaType = z.string().max(255);

/** Sent as it is, with its type as Content-Type. */
export const UploadQuery = z.strictObject({ name: name.describe('The file name') });

export const FileInfo = z.object({
  id: Id,
  name,
  mediaType,
  kind: FileKind,
  bytes: z.int(),
  sha256: z.string(),
  createdAt: Timestamp,
});
export type FileInfo = z.infer<typeof FileInfo>;

export const ReadFileQuery = z.strictObject({
  download: z.enum(['true', 'false']).optional().describe('true: always as a download'),
});

export const FilePart = z.object({
  type: z.literal('file'),
  fileId: Id.nullable().describe('null if its contents are missing, as in imports'),
  name,
  mediaType,
  kind: FileKind,
  bytes: z.int().min(0),
  artifactId: Id.optional().describe('The kept file that an agent made, in the version that it made'),
});
export type FilePart = z.infer<typeof FilePart>;
