import { withClient } from './connect.ts';

/** Plugins that do not load, or whose names are taken. To find that out they are loaded, where any are configured. */
export async function pluginIssues(home: string, plugins: readonly string[]): Promise<string[]> {
  if (plugins.length === 0) return [];
  return withClient({ home }, async ({ client }) => (await client.call('listTools')).issues ?? []);
}
