import type { Session } from '../contract/sessions.ts';
import type { Share, SharedSession, ShareList } from '../contract/shares.ts';
import { FileClient } from './file-client.ts';
import { sessionPath } from './paths.ts';

/** Links under which others can read. */
export class ShareClient extends FileClient {
  createShare(sessionId: string, { toolDetails = false } = {}): Promise<Share> {
    return this.transport.post(`${sessionPath(sessionId)}/shares`, { toolDetails });
  }

  listShares(query: { session?: string | undefined; limit?: number | undefined } = {}): Promise<ShareList> {
    return this.transport.get('/api/shares', query);
  }

  revokeShare(shareId: string): Promise<void> {
    return this.transport.delete(`/api/shares/${encodeURIComponent(shareId)}`);
  }

  /** For a reader who has the link; needs no credential. */
  readShare(token: string): Promise<SharedSession> {
    return this.transport.get(`/api/public/shares/${encodeURIComponent(token)}`);
  }

  /** A session of one's own that goes on from there. */
  copyShare(token: string): Promise<Session> {
    return this.transport.post(`/api/shares/${encodeURIComponent(token)}/copies`);
  }
}
