import type { ParleyClient } from '../client/parley-client.ts';
import type { Speaker } from '../contract/messages.ts';
import { agentLabel, speakerLabel } from '../contract/speakers.ts';
import { look } from './output.ts';
import { safeLine } from './terminal-text.ts';

/** Speakers' names as they are printed, each in its agent's colour once the colours are known. */
export class Speakers {
  readonly #colors = new Map<string, string>();

  /** Loads the agents' colours, only where colours are shown. */
  async learn(client: ParleyClient): Promise<void> {
    if (!look().on) return;
    const { agents } = await client.call('listAgents', { query: { hidden: true } }).catch(() => ({ agents: [] }));
    for (const { agentId, color } of agents) if (color) this.#colors.set(agentId, color);
  }

  /** Who said a message, and as what. */
  of(speaker: Speaker, guest = false): string {
    const { kind, agent, to } = speaker;
    if (kind === 'person') return look().bold('User');
    if (kind === 'webhook') return look().bold(safeLine(speakerLabel(speaker)));
    const name = this.name(agent, guest);
    if (kind === 'result') return `${name} ${look().dim('(result)')}`;
    if (kind !== 'task') return name;
    return `${name} ${look().dim(to === null ? '(task)' : `(task for ${safeLine(agentLabel(to))})`)}`;
  }

  /** Old messages have no speaker. */
  name(agentId: string | null, guest = false): string {
    const shown = agentId === null ? 'Assistant' : agentLabel(agentId);
    const name = look().speaker(safeLine(shown), this.#colors.get(agentId ?? ''));
    return guest ? `${name} ${look().dim('(guest)')}` : name;
  }
}
