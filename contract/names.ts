import { z } from 'zod';
import { ID_PATTERN } from './id-pattern.ts';
import { unseenInName } from './unseen-characters.ts';

export { ID_PATTERN };

/** Names that Windows keeps for devices, with or without an ending. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** Whether a part of an id can be a file's name everywhere, and the key of an object. */
function isPlainName(name: string): boolean {
  return !name.endsWith('.') && !DEVICE.test(name) && !(name in Object.prototype);
}

/** `wisp/concierge`: segments that are safe as file names, joined by `/`. */
export const AgentId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/, {
    error: 'must consist of letters, digits, ".", "_", "-" and "/", for example wisp/concierge',
    abort: true,
  })
  .refine(
    (id) => id.split('/').every(isPlainName),
    'must not have a part that ends with "." or is reserved, such as CON',
  );

/** Ids of sessions, messages and turns. Made by the server (UUIDv7) or chosen by the caller. */
export const Id = z
  .string()
  .regex(ID_PATTERN, 'must be 1 to 128 letters, digits, "_" or "-"')
  .refine((id) => !(id in Object.prototype), 'must not be a reserved name, such as constructor');

export const Sender = z.string().min(1).max(128);
export const SessionName = shownName();
/** Shown where a session has no name; several may have the same. */
export const SessionTitle = shownName();
export const TemplateName = shownName();
export const TeamName = shownName();
export const Folder = shownName();
export const ScheduleName = shownName();
export const WebhookName = shownName();
/** Of a source of knowledge that was renamed; until then it is called as its file was. */
export const KnowledgeName = shownName();

/** One line, all of which can be seen. */
function shownName() {
  return z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine((name) => unseenInName(name) === null, { error: ({ input }) => unseenInName(String(input))! });
}

export const Timestamp = z.string().describe('ISO 8601, UTC');

export const DEFAULT_SENDER = 'user';
