import type { ToolSettings } from '../../../contract/config.ts';
import type { ProcessRegistry } from '../../processes/registry.ts';
import type { Plugin } from '../plugin.ts';
import { askUserPlugin } from './ask-user/ask-user.ts';
import { bashPlugin } from './bash/bash.ts';
import { filesPlugin } from './files/files.ts';
import type { KeptItems } from './items.ts';
import { journalPlugin, type Page } from './journal/journal.ts';
import { type KeptMemories, memoryPlugin } from './memory/memory.ts';
import { type Link, readingListPlugin } from './reading-list/reading-list.ts';
import { type SystemSettings, systemPlugin } from './system/system.ts';
import { type Todo, todoPlugin } from './todo/todo.ts';
import { webPlugin } from './web/web.ts';
import type { FolderSource } from './working-folder.ts';

/** What the plugins keep among the lists and notes of the person. */
export interface KeptByPlugins {
  readonly todos: KeptItems<Todo>;
  readonly links: KeptItems<Link>;
  readonly pages: KeptItems<Page>;
}

export interface BuiltInDeps extends SystemSettings, FolderSource {
  readonly kept: KeptByPlugins;
  readonly memories: KeptMemories;
  /** Asked every time, so that a changed configuration counts at once. */
  readonly settings: () => ToolSettings;
  readonly registry: ProcessRegistry;
  /** What bash scripts are told: PARLEY_URL, and a PATH with `parley` on it. */
  readonly environment: () => Readonly<Record<string, string>>;
}

/** Every plugin that needs nothing but this room. */
export function builtInPlugins(deps: BuiltInDeps): Plugin[] {
  return [
    systemPlugin(deps),
    askUserPlugin(),
    memoryPlugin(deps.memories),
    todoPlugin(deps.kept.todos),
    readingListPlugin(deps.kept.links),
    journalPlugin(deps.kept.pages),
    filesPlugin(deps),
    webPlugin(deps),
    bashPlugin(deps),
  ];
}
