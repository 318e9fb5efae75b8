import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SkillInfo } from '../../contract/tools.ts';
import type { Plugin } from './plugin.ts';

/** The SKILL.md of a built-in plugin: beside its source, or in the bundle's own folder. */
export function skillPathOf(pluginId: string): string {
  const bundled = path.join(import.meta.dirname, 'skills', pluginId, 'SKILL.md');
  return existsSync(bundled) ? bundled : path.join(import.meta.dirname, 'plugins', pluginId, 'SKILL.md');
}

/** A plugin as a skill, if it is one: it needs instructions, and something that the command line can do. */
export function skillOf(plugin: Plugin): SkillInfo | undefined {
  const operations = plugin.tools.flatMap((tool) => tool.operation ?? []);
  if (plugin.skillPath === null || operations.length === 0) return undefined;
  const { id, description, skillPath, command } = plugin;
  return { id, description, skillPath, command, operations };
}
