import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type { CreateSessionTemplate, PatchSessionTemplate, SessionTemplate } from '../../contract/templates.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import type { SessionTemplateRow } from '../storage/tables.ts';
import type { NewSession } from './sessions.ts';
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  findTemplateByName,
  insertTemplate,
  saveTemplate,
  selectTemplates,
} from './template-store.ts';
import { toTime } from './views.ts';

export interface TemplateDeps {
  /** How many templates an owner may have. */
  limit(): number;
  /** Whether there is such an agent at the moment. */
  knows(agentId: string): boolean;
  /** Tells the owner's open streams that the templates have changed. */
  changed(owner: string): void;
}

/** What sessions can begin with. Agents come and go with the configuration, so a template may outlive its own. */
export class SessionTemplates {
  readonly #log: EventLog;
  readonly #around: TemplateDeps;

  constructor(log: EventLog, around: TemplateDeps) {
    this.#log = log;
    this.#around = around;
  }

  async list(owner: string): Promise<SessionTemplate[]> {
    const rows = await selectTemplates(this.#log.db, owner);
    return rows.sort((a, b) => a.name.localeCompare(b.name)).map(toTemplate);
  }

  create(owner: string, wanted: CreateSessionTemplate): Promise<SessionTemplate> {
    this.#assertAgent(wanted.agentId);
    return this.#change(owner, async (tx) => {
      await assertNameFree(tx, owner, wanted.name);
      await this.#assertRoom(tx, owner);
      const row = { id: newId(tx.now), owner, ...toColumns(wanted), created_at: tx.now, updated_at: tx.now };
      await insertTemplate(tx.db, row);
      return toTemplate(row);
    });
  }

  patch(owner: string, id: string, patch: PatchSessionTemplate): Promise<SessionTemplate> {
    return this.#change(owner, async (tx) => {
      const before = await loadTemplate(tx.db, owner, id);
      if (patch.agentId !== undefined && patch.agentId !== before.agent_id) this.#assertAgent(patch.agentId);
      if (patch.name !== undefined && patch.name !== before.name) await assertNameFree(tx, owner, patch.name);
      const row = { ...before, ...toColumns({ ...toTemplate(before), ...patch }), updated_at: tx.now };
      await saveTemplate(tx.db, row);
      return toTemplate(row);
    });
  }

  /** Sessions that were made from it are their own. */
  delete(owner: string, id: string): Promise<void> {
    return this.#change(owner, async (tx) => {
      if (!(await deleteTemplate(tx.db, owner, id))) throw notFound(id);
    });
  }

  /** A session as the template says, except for what is given. */
  async apply(owner: string, id: string, given: NewSession): Promise<NewSession> {
    const { name, agent_id, title, folder, mode } = await loadTemplate(this.#log.db, owner, id);
    if (agent_id && given.agentId === undefined && !this.#around.knows(agent_id)) throw agentGone(name, agent_id);
    return {
      ...(agent_id && { agentId: agent_id }),
      ...(title !== null && { title }),
      ...(folder !== null && { folder }),
      mode,
      ...given,
    };
  }

  #change<T>(owner: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#log.write(async (tx) => {
      tx.afterwards.push(() => this.#around.changed(owner));
      return work(tx);
    });
  }

  #assertAgent(agentId: string | null): void {
    if (agentId === null || this.#around.knows(agentId)) return;
    throw new AppError('agent_not_found', say('agent_not_found.list', { id: agentId }));
  }

  async #assertRoom(tx: Tx, owner: string): Promise<void> {
    const limit = this.#around.limit();
    if ((await countTemplates(tx.db, owner)) < limit) return;
    throw new AppError('too_many_session_templates', say('too_many_session_templates', { limit }));
  }
}

async function loadTemplate(db: EventLog['db'] | Tx['db'], owner: string, id: string): Promise<SessionTemplateRow> {
  const row = await findTemplate(db, owner, id);
  if (row) return row;
  throw notFound(id);
}

async function assertNameFree(tx: Tx, owner: string, name: string): Promise<void> {
  if (!(await findTemplateByName(tx.db, owner, name))) return;
  throw new AppError('session_template_name_taken', say('session_template_name_taken', { name }));
}

function notFound(id: string): AppError {
  return new AppError('session_template_not_found', say('session_template_not_found', { id }));
}

function agentGone(name: string, agentId: string): AppError {
  return new AppError('agent_not_found', say('agent_not_found.template', { name, id: agentId }));
}

function toColumns(template: CreateSessionTemplate) {
  return {
    name: template.name,
    agent_id: template.agentId,
    title: template.title,
    folder: template.folder,
    mode: template.mode,
    opening: template.opening,
    sends_opening: template.sendsOpening ? 1 : 0,
  };
}

function toTemplate(row: SessionTemplateRow): SessionTemplate {
  return {
    id: row.id,
    name: row.name,
    agentId: row.agent_id,
    title: row.title,
    folder: row.folder,
    mode: row.mode,
    opening: row.opening,
    sendsOpening: row.sends_opening === 1,
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}
