import type { Session } from '../../contract/sessions.ts';
import { useText } from '../i18n/text.ts';
import { useAgentName } from './use-agents.ts';

/** The name of who said what a session's snippet shows. */
export function useSpeakerName({ lastSpeaker, agentId }: Session): string {
  const text = useText();
  const speaker = lastSpeaker?.agent ?? agentId;
  const name = useAgentName(speaker);
  if (lastSpeaker?.kind === 'person') return text('conversation.you');
  return name;
}
