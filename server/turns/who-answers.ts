import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import type { Acceptance, AcceptContext, Addressed } from './accept.ts';

export interface Speaker {
  agentId: string;
  guest: boolean;
}

/** An agent that the sender names counts more than the words; what one agent sends another is for that one. */
export function nameAgents(
  context: AcceptContext,
  session: SessionRow,
  given: Acceptance,
): Omit<Addressed, 'attached'> {
  if (given.agent || given.guest || given.work) return { ...given, guests: [] };
  const guests = context.addressed(session, given.content);
  const isOther = given.otherwise !== undefined && given.otherwise !== session.agent_id;
  return { ...given, guests, ...(isOther && guests.length === 0 && { agent: given.otherwise }) };
}

/** Who will be the primary when a new message has its turn, if everything that waits before it runs. */
export function primaryAfter(session: SessionRow, open: readonly TurnRow[], { busy }: Acceptance): string | null {
  const waiting = busy === 'interrupt' ? [] : open.filter(({ state }) => state === 'queued');
  return waiting.findLast(({ primary_rule }) => primary_rule === 'becomes')?.agent_id ?? session.agent_id;
}

export function chooseSpeakers(primary: string | null, wanted: Addressed): [Speaker, ...Speaker[]] {
  const [first, ...rest] = wanted.guests;
  if (!first) return [chooseSpeaker(primary, wanted)];
  const toSpeaker = (agentId: string) => ({ agentId, guest: agentId !== primary });
  return [toSpeaker(first), ...rest.map(toSpeaker)];
}

function chooseSpeaker(primary: string | null, wanted: Acceptance): Speaker {
  if (wanted.work) return { agentId: wanted.work.to, guest: false };
  if (wanted.guest) return { agentId: wanted.guest, guest: wanted.guest !== primary };
  const agentId = wanted.agent ?? primary;
  if (!agentId) throw new AppError('agent_required', say('agent_required'));
  return { agentId, guest: false };
}

/** What the turn means for the primary of its session. */
export function ruleFor({ agent, guest, guests, work }: Addressed): TurnRow['primary_rule'] {
  if (agent) return 'becomes';
  return guest || guests.length > 0 || work ? null : 'follows';
}
