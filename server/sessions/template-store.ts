import type { Kysely, Transaction } from 'kysely';
import { insertion, statement } from '../storage/statement.ts';
import type { SessionTemplateRow, Tables } from '../storage/tables.ts';

type Connection = Kysely<Tables> | Transaction<Tables>;

export const insertTemplate = insertion<SessionTemplateRow>('session_templates', [
  'id',
  'owner',
  'name',
  'agent_id',
  'title',
  'folder',
  'mode',
  'opening',
  'sends_opening',
  'created_at',
  'updated_at',
]);

export const selectTemplates = statement<SessionTemplateRow>('SELECT * FROM session_templates WHERE owner = ?');

export async function findTemplate(db: Connection, owner: string, id: string): Promise<SessionTemplateRow | undefined> {
  return (await selectTemplate(db, id, owner))[0];
}

const selectTemplate = statement<SessionTemplateRow>('SELECT * FROM session_templates WHERE id = ? AND owner = ?');

export async function findTemplateByName(
  db: Connection,
  owner: string,
  name: string,
): Promise<SessionTemplateRow | undefined> {
  return (await selectNamed(db, owner, name))[0];
}

const selectNamed = statement<SessionTemplateRow>('SELECT * FROM session_templates WHERE owner = ? AND name = ?');

export async function countTemplates(db: Connection, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM session_templates WHERE owner = ?');

export function saveTemplate(db: Connection, row: SessionTemplateRow): Promise<unknown> {
  const { name, agent_id, title, folder, mode, opening, sends_opening, updated_at, id, owner } = row;
  return update(db, name, agent_id, title, folder, mode, opening, sends_opening, updated_at, id, owner);
}

const update = statement(`UPDATE session_templates SET name = ?, agent_id = ?, title = ?, folder = ?, mode = ?,
  opening = ?, sends_opening = ?, updated_at = ? WHERE id = ? AND owner = ?`);

export async function deleteTemplate(db: Connection, owner: string, id: string): Promise<boolean> {
  return (await remove(db, id, owner)).length === 1;
}

const remove = statement<{ id: string }>('DELETE FROM session_templates WHERE id = ? AND owner = ? RETURNING id');
