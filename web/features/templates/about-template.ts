import type { Agent } from '../../../contract/agents.ts';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { text } from '../../i18n/text.ts';
import { nameOfAgent } from '../../live/use-agents.ts';

/** One line on what its sessions begin with. */
export function aboutTemplate(template: SessionTemplate, agents: readonly Agent[]): string {
  const { agentId, folder, mode, opening, sendsOpening } = template;
  const words = opening.trim().replaceAll(/\s+/g, ' ');
  const pieces = [
    agentId === null ? text('templates.agentLast') : nameOfAgent(agents, agentId),
    folder,
    mode === 'read-only' ? text('rail.readOnly') : null,
    words && (sendsOpening ? text('templates.sends', { words }) : `“${words}”`),
  ];
  return pieces.filter(Boolean).join(' · ');
}
