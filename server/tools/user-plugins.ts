import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ToolRisk } from '../../contract/tools.ts';
import { defineTool, type Execute } from './define-tool.ts';
import { findGlob } from './glob.ts';
import { commandOf, type Plugin } from './plugin.ts';
import { type Tool, ToolFailure } from './tool.ts';

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

/** Why a plugin is left out, in words for its owner. */
class PluginError extends Error {}

/** `plugin.json`. Paths are inside the plugin's folder. */
const Manifest = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must consist of lowercase letters, digits and "-"'),
  description: z.string().min(1).max(1000),
  tools: z.string().min(1).describe('The module whose default export creates the tools'),
  skill: z.string().min(1).default('SKILL.md'),
  cli: z.string().min(1).optional().describe('A program the skill uses instead of `parley tool`'),
});
type Manifest = z.infer<typeof Manifest>;

/** What a plugin says about a tool; everything else is ours to say. */
const Description = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must consist of up to 64 letters, digits, "_" and "-"'),
  description: z.string().min(1).max(4000),
  capabilities: z.array(z.string().min(1).max(128)).default([]),
  risk: ToolRisk.default('execute'),
  operation: z.string().min(1).max(64).optional(),
});

/** What the module of a plugin is given. */
interface PluginApi {
  readonly z: typeof z;
  readonly ToolFailure: typeof ToolFailure;
  /** The plugin's own folder. */
  readonly folder: string;
  defineTool<Input extends z.ZodObject>(
    description: z.input<typeof Description> & { input: Input },
    execute: Execute<Input>,
  ): Tool;
}

const LOAD_MS = 10_000;
const MOST_TOOLS = 100;
const MOST_MANIFEST_BYTES = 100_000;

/** Gives back what is already loaded as long as its files are as they were. */
async function loadUserPlugin<Known extends { version: string; plugin: Plugin }>(
  folder: string,
  id: string,
  known: Known | undefined,
): Promise<Known | { version: string; plugin: Plugin }> {
  const root = await realpath(folder);
  const manifest = await readManifest(root, id);
  const module = await inside(root, manifest.tools);
  const version = await versionOf(root, module);
  if (known?.version === version) return known;
  const skillPath = await inside(root, manifest.skill).catch(() => null);
  const command = manifest.cli === undefined ? commandOf(id) : await inside(root, manifest.cli);
  const tools = await loadTools(root, id, module, version);
  return { version, plugin: { id, description: manifest.description, tools, skillPath, command } };
}

async function readManifest(root: string, id: string): Promise<Manifest> {
  const file = await inside(root, 'plugin.json');
  if ((await stat(file)).size > MOST_MANIFEST_BYTES) throw new PluginError('plugin.json is too large');
  const manifest = Manifest.safeParse(parseJson(await readFile(file, 'utf8')));
  if (!manifest.success) throw new PluginError(`plugin.json: ${describe(manifest.error)}`);
  if (manifest.data.id !== id) throw new PluginError(`plugin.json: id must be the name of the folder, ${id}`);
  return manifest.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PluginError('plugin.json is not valid JSON');
  }
}

/** The real path of a file in the folder; a link out of it is not followed. */
async function inside(root: string, place: string): Promise<string> {
  const file = await realpath(path.join(root, place)).catch(() => undefined);
  if (file === undefined) throw new PluginError(`${place} does not exist`);
  if (path.isAbsolute(place) || !file.startsWith(root + path.sep))
    throw new PluginError(`${place} must be in its folder`);
  return file;
}

async function versionOf(root: string, module: string): Promise<string> {
  const files = await Promise.all([path.join(root, 'plugin.json'), module].map((file) => stat(file)));
  return files.map(({ size, mtimeMs }) => `${size}-${mtimeMs}`).join('-');
}

async function loadTools(folder: string, id: string, module: string, version: string): Promise<Tool[]> {
  const own = new Set<Tool>();
  const tools = await inTime(callModule(module, version, await apiFor(folder, id, own)));
  if (!Array.isArray(tools) || !tools.every((tool) => own.has(tool))) {
    throw new PluginError('its module must return a list of tools made with defineTool');
  }
  if (tools.length > MOST_TOOLS) throw new PluginError(`it has more than ${MOST_TOOLS} tools`);
  return tools;
}

/** A module is loaded once per address: another version needs another one. */
async function callModule(module: string, version: string, api: PluginApi): Promise<unknown> {
  const loaded = (await import(`${pathToFileURL(module).href}?${version}`)) as { default?: unknown };
  if (typeof loaded.default !== 'function') throw new PluginError('its module has no function as default export');
  return loaded.default(api);
}

/** Parley needs a part of zod, a plugin may need any: not named in the import, it stays out of the built program. */
const ALL_OF_ZOD = 'zod';

async function apiFor(folder: string, id: string, own: Set<Tool>): Promise<PluginApi> {
  const whole = (await import(ALL_OF_ZOD)) as typeof import('zod');
  return {
    z: whole.z,
    ToolFailure,
    folder,
    defineTool: (description, execute) => {
      const tool = define(id, description, execute);
      own.add(tool);
      return tool;
    },
  };
}

function define<Input extends z.ZodObject>(
  id: string,
  { input, ...description }: z.input<typeof Description> & { input: Input },
  execute: Execute<Input>,
): Tool {
  const checked = Description.safeParse(description);
  if (!checked.success) throw new PluginError(`a tool is not valid: ${describe(checked.error)}`);
  if (!(input instanceof z.ZodObject))
    throw new PluginError(`${checked.data.name}: input must be a z.object of the api`);
  const { name } = checked.data;
  if (typeof execute !== 'function') throw new PluginError(`${name}: the second argument must be a function`);
  return defineTool({ ...checked.data, input, source: { kind: 'plugin', id } }, execute);
}

async function inTime<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PluginError('loading it took too long')), LOAD_MS);
  });
  return Promise.race([loading, tooLate]).finally(() => clearTimeout(timer));
}

function describe(error: z.ZodError): string {
  return error.issues.map(({ path: place, message }) => `${place.join('.')} ${message}`.trim()).join('; ');
}
