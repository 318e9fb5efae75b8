import { z } from 'zod';

/** `wisp/concierge`: segments that are safe as file names, joined by `/`. */
export const AgentId = z
  .string()
  .max(128)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/,
    'must be made of letters, digits, ".", "_", "-" and "/", like wisp/concierge',
  );

export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

/** Ids of sessions, messages and turns. Made by the server (UUIDv7) or chosen by the caller. */
export const Id = z.string().regex(ID_PATTERN, 'must be 1 to 128 letters, digits, "_" or "-"');

export const Sender = z.string().min(1).max(128);
export const SessionName = z.string().trim().min(1).max(200);
/** Shown where a session has no name; several may have the same. */
export const SessionTitle = z.string().trim().min(1).max(200);
export const TemplateName = z.string().trim().min(1).max(200);
export const Folder = z.string().trim().min(1).max(200);
export const Timestamp = z.string().describe('ISO 8601, UTC');

export const DEFAULT_SENDER = 'user';
