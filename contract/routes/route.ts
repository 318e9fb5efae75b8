import { z } from 'zod';
import { Id } from '../names.ts';

/**
 * `open` routes answer every client that reaches the server; all others need the credential. `turn` routes take the
 * token of a running turn as well: then the turn's agent is the caller, within its scope. `signed` routes take no
 * credential but a signature over the request, made with a secret of what is addressed.
 */
export type Access = 'open' | 'member' | 'turn' | 'signed';

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name+}` is the rest of the path. */
  path: string;
  access: Access;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The body is not JSON but a file, as it is. */
  upload?: true;
  /** An absent body stands for `{}`. */
  bodyOptional?: boolean;
  status: 200 | 201 | 202 | 204;
  response?: z.ZodType;
  /** Other than JSON: what the answer is, always or when the caller's Accept asks for it. */
  media?: 'text/event-stream' | 'text/markdown' | 'text/plain' | 'text/html' | '*/*';
  /** The answer has an ETag; `checked`: and a change may name the one it is based on, as If-Match. */
  versioned?: 'shown' | 'checked';
  /** Part of the web app: its pages read their own queries, and programs have no use for it. */
  web?: true;
  /** For clients of another protocol, which says what is sent and answered. */
  protocol?: Protocol;
  /** Takes parameters and fields that it does not know, because its protocol may add some. */
  lenient?: true;
}

/** The protocols that are spoken besides the routes of this table: one folder each in `server/protocols/`. */
export type Protocol = 'a2a' | 'acp' | 'mcp' | 'openai';

/** What a path names, in routes of several files. */
export const session = { params: z.object({ sessionId: Id }) };
export const turn = { params: z.object({ turnId: Id }) };
export const message = { params: z.object({ messageId: Id }) };

export const LimitQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(50) });
