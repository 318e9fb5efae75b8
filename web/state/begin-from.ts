import type { Session } from '../../contract/sessions.ts';
import type { SessionTemplate } from '../../contract/templates.ts';
import type { Live } from '../live/live.ts';
import { notify } from '../ui/toast.tsx';
import { setDraft } from './drafts.ts';
import { type Navigate, usualAgent } from './new-session.ts';
import { outboxOf } from './outbox.ts';
import { closeOverlays } from './panes.ts';

/** Makes a session as the template says and goes there. A template without an agent uses the usual one. */
export async function beginFrom(live: Live, navigate: Navigate, template: SessionTemplate): Promise<void> {
  try {
    const agentId = template.agentId === null ? await usualAgent(live) : null;
    const session = await live.client.call('createSession', {
      body: { templateId: template.id, ...(agentId !== null && { agentId }) },
    });
    live.note(session);
    open(live, session, template);
    closeOverlays();
    await navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
  } catch (error) {
    notify({ title: (error as Error).message });
  }
}

/** Without an agent the opening message becomes a draft. */
function open(live: Live, { id, agentId }: Session, { opening, sendsOpening }: SessionTemplate): void {
  const content = opening.trim();
  if (content === '') return;
  if (!sendsOpening || agentId === null) setDraft(id, opening);
  else outboxOf(live).send({ sessionId: id, content, busy: 'queue', place: 'transcript', files: [] });
}
