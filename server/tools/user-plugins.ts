import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { findGlob } from './glob.ts';
import type { Plugin } from './plugin.ts';
import { loadUserPlugin, PluginError } from './user-plugin.ts';

export interface UserPluginSettings {
  /** The data folder; plugins are in `plugins/` of it. */
  readonly home: string;
  /** Patterns of those that are wanted; no others are looked at. */
  readonly wanted: () => readonly string[];
}

interface Loaded {
  readonly version: string;
  readonly plugin: Plugin;
}

/** Code of the owner's own. A plugin that does not work is reported and left out; it takes nothing else with it. */
export class UserPlugins {
  readonly #settings: UserPluginSettings;
  #loaded = new Map<string, Loaded>();
  #list: readonly Plugin[] = [];
  #issues: readonly string[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(settings: UserPluginSettings) {
    this.#settings = settings;
  }

  /** The same list until a `load` has changed something. */
  list(): readonly Plugin[] {
    return this.#list;
  }

  issues(): readonly string[] {
    return this.#issues;
  }

  /** At the start, and whenever the configuration has changed. Never rejects. */
  load(): Promise<void> {
    this.#last = this.#last.then(() => this.#read());
    return this.#last;
  }

  async #read(): Promise<void> {
    const issues: string[] = [];
    const loaded = new Map<string, Loaded>();
    for (const id of await this.#wantedFolders(issues)) {
      const one = await loadUserPlugin(this.#folderOf(id), id, this.#loaded.get(id)).catch(asIssue(id, issues));
      if (one) loaded.set(id, one);
    }
    const isSame = loaded.size === this.#loaded.size && [...loaded].every(([id, one]) => this.#loaded.get(id) === one);
    this.#issues = issues;
    if (isSame) return;
    this.#loaded = loaded;
    this.#list = Array.from(loaded.values(), ({ plugin }) => plugin);
  }

  async #wantedFolders(issues: string[]): Promise<string[]> {
    const wanted = this.#settings.wanted();
    if (wanted.length === 0) return [];
    const names = await readdir(path.join(this.#settings.home, 'plugins')).catch((): string[] => []);
    const missing = wanted.filter((pattern) => !pattern.includes('*') && !names.includes(pattern));
    issues.push(...missing.map((name) => `plugins/${name}: the folder does not exist`));
    return names.filter((name) => findGlob(wanted, name) !== undefined).sort();
  }

  #folderOf(id: string): string {
    return path.join(this.#settings.home, 'plugins', id);
  }
}

function asIssue(id: string, issues: string[]): (error: unknown) => undefined {
  return (error) => {
    const reason =
      error instanceof PluginError ? error.message : `failed to load: ${(error as Error)?.message ?? error}`;
    issues.push(`plugins/${id}: ${reason}`);
    return undefined;
  };
}
