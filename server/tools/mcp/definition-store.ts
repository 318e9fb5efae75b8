import type { Db, McpDefinitionRow } from '../../storage/tables.ts';

export function selectDefinitions(db: Db): Promise<McpDefinitionRow[]> {
  return db.selectFrom('mcp_definitions').selectAll().orderBy('server').orderBy('tool').execute();
}

/** All of a server's at once: there is never a half-accepted server. */
export async function replaceDefinitions(db: Db, server: string, rows: McpDefinitionRow[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('mcp_definitions').where('server', '=', server).execute();
    for (const row of rows) await tx.insertInto('mcp_definitions').values(row).execute();
  });
}
