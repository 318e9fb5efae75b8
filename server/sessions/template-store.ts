import { insertion, statement } from '../storage/statement.ts';
import type { Db, SessionTemplateRow } from '../storage/tables.ts';

export const insertTemplate = insertion<SessionTemplateRow>('session_templates');

export const selectTemplates = statement<SessionTemplateRow>('SELECT * FROM session_templates WHERE owner = ?');

export async function findTemplate(db: Db, owner: string, id: string): Promise<SessionTemplateRow | undefined> {
  return (await selectTemplate(db, id, owner))[0];
}

const selectTemplate = statement<SessionTemplateRow>('SELECT * FROM session_templates WHERE id = ? AND owner = ?');

export async function findTemplateByName(db: Db, owner: string, name: string): Promise<SessionTemplateRow | undefined> {
  return (await selectNamed(db, owner, name))[0];
}

const selectNamed = statement<SessionTemplateRow>('SELECT * FROM session_templates WHERE owner = ? AND name = ?');

export async function countTemplates(db: Db, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM session_templates WHERE owner = ?');

export function saveTemplate(db: Db, row: SessionTemplateRow): Promise<unknown> {
  const { name, agent_id, title, folder, mode, opening, sends_opening, updated_at, id, owner } = row;
  return update(db, name, agent_id, title, folder, mode, opening, sends_opening, updated_at, id, owner);
}

const update = statement(`UPDATE session_templates SET name = ?, agent_id = ?, title = ?, folder = ?, mode = ?,
  opening = ?, sends_opening = ?, updated_at = ? WHERE id = ? AND owner = ?`);

export async function deleteTemplate(db: Db, owner: string, id: string): Promise<boolean> {
  return (await remove(db, id, owner)).length === 1;
}

const remove = statement<{ id: string }>('DELETE FROM session_templates WHERE id = ? AND owner = ? RETURNING id');
