import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { KeptMemory } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Db, KnownAgentRow } from '../storage/tables.ts';
import { defaultWorkspace } from '../workspaces/workspaces.ts';
import {
  deleteGrantsOf,
  deleteItemsOf,
  deleteKnownAgent,
  deleteStatesOf,
  moveItemsOf,
  moveMemoriesOf,
  moveMemory,
  saveKnownAgents,
  selectGrantedAgents,
  selectKeptMemories,
  selectKnownAgents,
} from './retired-agents-store.ts';

type Agents = ReadonlyMap<string, DefinedAgent>;

export interface RetirementDeps {
  readonly db: Db;
  /** The data folder. */
  readonly home: string;
  /** Ends the turns of an agent and withdraws what they ask for. */
  endTurns(agentId: string): Promise<void>;
  /** What it could search is no longer its. */
  forgetKnowledge(agentId: string): Promise<void>;
  report(problem: string, error: unknown): void;
}

/**
 * Rights belong to an agent, not to its name. When an agent is gone, or another one has its name, its turns end, its
 * standing approvals and what it could search are no longer its, and its memory and its workspace are kept under a name that no agent can have. A
 * later agent of the same name starts with none of it.
 */
export class RetiredAgents {
  readonly #deps: RetirementDeps;
  #known: Agents;
  #last: Promise<void>;

  /** Whether a file has errors, so that an agent may be there under a name that cannot be read. */
  #isUncertain: boolean;

  constructor(deps: RetirementDeps, agents: Agents, isUncertain: boolean) {
    this.#deps = deps;
    this.#known = agents;
    this.#isUncertain = isUncertain;
    this.#last = this.#reporting(() => this.#catchUp(agents, isUncertain));
  }

  /** The agents there are from now on. `edited`: the agent that was changed through the API, which stays the same one. */
  follow(agents: Agents, isUncertain: boolean, edited: string | null): void {
    const wasUncertain = this.#isUncertain;
    this.#isUncertain = isUncertain;
    const before = this.#known;
    const gone = [...before.keys()].filter((id) => !agents.has(id));
    const added = [...agents.keys()].filter((id) => !before.has(id));
    const changed = [...agents].filter(([id, { version }]) => before.has(id) && before.get(id)!.version !== version);
    this.#known = agents;
    for (const id of gone) this.#queue(() => this.#retire(id));
    for (const [id, agent] of changed) if (id !== edited) this.#queue(() => this.#retireReplaced(id, agent));
    this.#queue(() => this.#remember(agents));
    // An approval may have been answered between the removal of the definition and the end of the agent's turns.
    if (!wasUncertain) for (const id of added) this.#queue(async () => void (await deleteGrantsOf(this.#deps.db, id)));
  }

  /** Resolves when all removed agents have been cleaned up. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** What deleted agents remembered. */
  async keptMemories(owner: string): Promise<KeptMemory[]> {
    return (await selectKeptMemories(this.#deps.db, owner)).map(({ holder, count }) => {
      const [agentId = ''] = holder.split('~');
      return { holder, agentId, count };
    });
  }

  /** Gives an agent what a deleted one remembered. Says how much that was. */
  async restoreMemory(owner: string, holder: string, agentId: string): Promise<number> {
    if (!this.#known.has(agentId)) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
    await this.settled();
    const moved = holder.includes('~') ? await moveMemory(this.#deps.db, agentId, owner, holder) : [];
    if (moved.length === 0) throw new AppError('kept_memory_not_found', say('kept_memory_not_found', { holder }));
    return moved.length;
  }

  /** Nothing is left of an agent that was only tried. */
  async forget(agentId: string): Promise<void> {
    const { db, home, endTurns } = this.#deps;
    await endTurns(agentId);
    await deleteGrantsOf(db, agentId);
    await deleteStatesOf(db, agentId);
    await deleteItemsOf(db, agentId);
    await rm(defaultWorkspace(home, agentId), { recursive: true, force: true });
  }

  #queue(work: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#reporting(work));
  }

  #reporting(work: () => Promise<void>): Promise<void> {
    return work().catch((error) => this.#deps.report('the changes to the list of agents could not be stored', error));
  }

  /** Agents may have been deleted, and others of the same name made, while no server was running. */
  async #catchUp(agents: Agents, isUncertain: boolean): Promise<void> {
    for (const before of await selectKnownAgents(this.#deps.db)) {
      const agent = agents.get(before.agent_id);
      if (agent) await this.#retireIfAnother(before, agent);
      else if (!isUncertain) await this.#retire(before.agent_id);
    }
    if (!isUncertain) await this.#deleteStrayGrants(agents);
    await this.#remember(agents);
  }

  async #retireReplaced(agentId: string, agent: DefinedAgent): Promise<void> {
    const before = (await selectKnownAgents(this.#deps.db)).find(({ agent_id }) => agent_id === agentId);
    if (before) await this.#retireIfAnother(before, agent);
  }

  /** Of a definition with errors it is not known yet whose it is. */
  async #retireIfAnother(before: KnownAgentRow, agent: DefinedAgent): Promise<void> {
    if (agent.problem !== null) return;
    const now = await toKnown(this.#deps.home, before.agent_id, agent);
    if (!isSameAgent(before, now)) await this.#retire(before.agent_id);
  }

  /** Definitions with errors are not remembered: the last one without errors is. */
  async #remember(agents: Agents): Promise<void> {
    const { db, home } = this.#deps;
    const good = [...agents].filter(([, { problem }]) => problem === null);
    const rows = await Promise.all(good.map(([agentId, agent]) => toKnown(home, agentId, agent)));
    const known = new Map((await selectKnownAgents(db)).map((row) => [row.agent_id, JSON.stringify(row)]));
    const changed = rows.filter((row) => JSON.stringify(row) !== known.get(row.agent_id));
    if (changed.length > 0) await saveKnownAgents(db, JSON.stringify(changed));
  }

  async #deleteStrayGrants(agents: Agents): Promise<void> {
    const { db } = this.#deps;
    for (const { agent_id } of await selectGrantedAgents(db))
      if (!agents.has(agent_id)) await deleteGrantsOf(db, agent_id);
  }

  async #retire(agentId: string): Promise<void> {
    const { db, home, endTurns, forgetKnowledge } = this.#deps;
    const former = `${agentId}~${new Date().toISOString().replaceAll(/[^0-9TZ]/g, '')}`;
    // First: until then an answer to one of its approvals can make a standing one.
    await endTurns(agentId);
    await deleteGrantsOf(db, agentId);
    await deleteStatesOf(db, agentId);
    await forgetKnowledge(agentId);
    await deleteKnownAgent(db, agentId);
    await moveItemsOf(db, former, agentId);
    await moveMemoriesOf(db, former, agentId);
    await rename(defaultWorkspace(home, agentId), defaultWorkspace(home, former)).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** What of a configured agent tells whether it is the one that was known before. */
interface DefinedAgent {
  readonly version: string;
  readonly source: string;
  readonly definition: object;
  /** Why the definition in its file is not the one in force. */
  readonly problem: string | null;
}

/** The row of an agent as it is defined now. */
async function toKnown(home: string, agentId: string, agent: DefinedAgent): Promise<KnownAgentRow> {
  const { version, source, definition } = agent;
  const file = await identityOf(path.join(home, source));
  return { agent_id: agentId, version, source, file, definition: JSON.stringify(definition) };
}

/**
 * Whether a definition that changed on disk is that of the same agent. In a file that was edited in place it is. Many
 * editors write a new file instead, which looks like a file that was deleted and made anew: then at least half of the
 * words must have stayed. Lists, approvals and the model say nothing about which agent it is.
 */
function isSameAgent(before: KnownAgentRow, now: KnownAgentRow): boolean {
  if (before.version === now.version || before.file === now.file) return true;
  const [one, other] = [wordsIn(before.definition), wordsIn(now.definition)];
  const shared = countShared(one, other);
  return shared > 0 && shared * 2 >= Math.max(one.length, other.length);
}

/** A deleted file's number may be given to the next one, which is younger. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino}.${found.birthtimeNs}` : '';
}

const TEXTS = ['displayName', 'description', 'systemPrompt', 'welcomeMessage', 'extends'] as const;

function wordsIn(json: string): string[] {
  const definition = JSON.parse(json);
  const texts = TEXTS.map((field) => definition[field] ?? '').join(' ');
  return texts.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countShared(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return shared;
}
