import type { Author } from '../../contract/artifacts.ts';
import { clockTime, shortDate } from '../i18n/formats.ts';
import { text, useText } from '../i18n/panel-words.ts';
import { useAgent, useAgentNames } from '../live/use-agents.ts';
import { AgentTile } from '../ui/agent-tile.tsx';

/** Who made a change, in a few words. */
export function useAuthorName(): (by: Author) => string {
  const say = useText();
  const nameOf = useAgentNames();
  return ({ kind, agentId }) => {
    if (kind === 'import') return say('artifacts.imported');
    return agentId === null ? say('conversation.you') : nameOf(agentId);
  };
}

/** The tile of the agent that changed something last; nothing for what the person did. */
export function AuthorTile({ by, at }: { by: Author; at: string }) {
  const agent = useAgent(by.agentId);
  const nameOf = useAuthorName();
  if (by.agentId === null) return null;
  return (
    // Its words for screen readers stay inside it: else they would reach out of a board that scrolls sideways.
    <span title={`${nameOf(by)}, ${moment(at)}`} className="relative flex-none">
      <AgentTile agentId={by.agentId} agent={agent} size={16} />
      <span className="sr-only">{text('artifacts.by', { name: nameOf(by) })}</span>
    </span>
  );
}

/** The time of today, the date of other days. */
export function moment(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? clockTime(at) : shortDate(at);
}
