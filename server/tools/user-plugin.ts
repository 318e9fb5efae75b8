import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ToolRisk } from '../../contract/tools.ts';
import { defineTool, type Execute } from './define-tool.ts';
import { commandOf, type Plugin } from './plugin.ts';
import { type Tool, ToolFailure } from './tool.ts';

/** Why a plugin is left out, in words for its owner. */
export class PluginError extends Error {}

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
export interface PluginApi {
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
export async function loadUserPlugin<Known extends { version: string; plugin: Plugin }>(
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
