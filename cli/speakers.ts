import type { ParleyClient } from '../client/parley-client.ts';
import { look } from './output.ts';
import { safeLine } from './terminal-text.ts';

/** Speakers' names as they are printed, each in its agent's colour once the colours are known. */
export class Speakers {
  readonly #colors = new Map<string, string>();

  /** Asks only where colours show, and nobody waits for the answer. */
  async learn(client: ParleyClient): Promise<void> {
    if (!look().on) return;
    const { agents } = await client.listAgents({ hidden: true }).catch(() => ({ agents: [] }));
    for (const { agentId, color } of agents) if (color) this.#colors.set(agentId, color);
  }

  /** Old messages have no speaker. */
  name(agentId: string | null, guest = false): string {
    const name = look().speaker(safeLine(agentId ?? 'Assistant'), this.#colors.get(agentId ?? ''));
    return guest ? `${name} ${look().dim('(guest)')}` : name;
  }
}
