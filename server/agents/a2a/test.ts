import { z } from 'zod';
import { say } from '../../../contract/texts.ts';
import type { AgentDeps, Finding } from '../agent.ts';
import { TextAgentFailure } from '../text-agent.ts';
import { readCard } from './peer.ts';
import type { A2aSettings } from './settings.ts';

const Named = z.object({ name: z.string().min(1).max(200) });

/** Reads the card, which says where and how the agent is reached. */
export async function testA2a(settings: A2aSettings, deps: AgentDeps): Promise<Finding[]> {
  try {
    const { card, hash } = await readCard(settings, deps);
    const name = Named.safeParse(card).data?.name ?? new URL(settings.cardUrl).host;
    return [{ state: 'ok', text: say('connection.card', { name }) }, judgeApproval(settings, hash)];
  } catch (error) {
    return [{ state: 'problem', text: wordsOf(error) }];
  }
}

function judgeApproval({ cardHash }: A2aSettings, hash: string): Finding {
  if (cardHash === hash) return { state: 'ok', text: say('connection.approved') };
  return { state: 'warning', text: say(cardHash ? 'connection.cardChanged' : 'connection.cardNew') };
}

function wordsOf(error: unknown): Finding['text'] {
  if (error instanceof TextAgentFailure) {
    const { message, text } = error.error;
    return { ...say('connection.unreachable', { reason: message }), ...text, message };
  }
  return say('connection.unreachable', { reason: (error as Error).message });
}
