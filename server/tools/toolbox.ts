import type { ToolSettings } from '../../contract/config.ts';
import type { SkillInfo, ToolSource } from '../../contract/tools.ts';
import { findGlob } from './glob.ts';
import type { Plugin } from './plugin.ts';
import { skillOf } from './skills.ts';
import type { Tool } from './tool.ts';

/** Where tools come from. Functions are asked every time and give the same list as long as nothing has changed. */
export interface ToolSources {
  /** Made when they are first needed: a start needs none. Another list once they are for other agents. */
  readonly builtIn: () => readonly Plugin[];
  readonly settings: () => ToolSettings;
  readonly userPlugins?: () => readonly Plugin[];
  readonly mcpTools?: () => readonly Tool[];
}

interface Contents {
  readonly from: readonly unknown[];
  readonly tools: readonly Tool[];
  readonly byName: ReadonlyMap<string, Tool>;
  readonly plugins: readonly Plugin[];
  readonly skills: readonly SkillInfo[];
  readonly issues: readonly string[];
}

/**
 * Every tool there is, by name. Built-in tools come first, and no other tool can take their names. Asking is cheap:
 * everything is worked out once and kept until the configuration, the plugins or the servers change.
 */
export class Toolbox {
  readonly #sources: ToolSources;
  #contents: Contents | undefined;

  constructor(sources: ToolSources) {
    this.#sources = sources;
  }

  /** The same list as long as nothing has changed. */
  all(): readonly Tool[] {
    return this.#look().tools;
  }

  find(name: string): Tool | undefined {
    return this.#look().byName.get(name);
  }

  findOperation(pluginId: string, operation: string): Tool | undefined {
    const plugin = this.plugins().find(({ id }) => id === pluginId);
    return plugin?.tools.find((tool) => tool.operation === operation);
  }

  plugins(): readonly Plugin[] {
    return this.#look().plugins;
  }

  skills(): readonly SkillInfo[] {
    return this.#look().skills;
  }

  skillsFor(mayUse: (pluginId: string) => boolean): SkillInfo[] {
    return this.skills().filter(({ id }) => mayUse(id));
  }

  /** What was left out, and why. */
  issues(): readonly string[] {
    return this.#look().issues;
  }

  #look(): Contents {
    const { builtIn, settings, userPlugins, mcpTools } = this.#sources;
    const from = [builtIn(), settings(), userPlugins?.(), mcpTools?.()];
    const known = this.#contents;
    if (known && from.every((source, index) => source === known.from[index])) return known;
    this.#contents = this.#collect(from);
    return this.#contents;
  }

  #collect(from: readonly unknown[]): Contents {
    const { builtIn, settings, userPlugins, mcpTools } = this.#sources;
    const collection = new Collection(settings().disabled);
    for (const plugin of builtIn()) collection.addPlugin(plugin, 'built-in');
    for (const plugin of userPlugins?.() ?? []) collection.addPlugin(plugin, 'plugin');
    for (const tool of mcpTools?.() ?? []) collection.addTool(tool, 'mcp');
    return { from, ...collection.contents() };
  }
}

const RESERVED = 'system_';
/** What every model provider takes as the name of a function. */
const NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** Takes things in the order of their right to a name. */
class Collection {
  readonly #disabled: readonly string[];
  readonly #tools = new Map<string, Tool>();
  readonly #plugins = new Map<string, Plugin>();
  readonly #issues: string[] = [];

  constructor(disabled: readonly string[]) {
    this.#disabled = disabled;
  }

  addPlugin(plugin: Plugin, kind: 'built-in' | 'plugin'): void {
    if (findGlob(this.#disabled, plugin.id) !== undefined) return;
    if (this.#plugins.has(plugin.id)) {
      this.#issues.push(`The plugin ${plugin.id} was skipped: another plugin has this ID.`);
      return;
    }
    const tools = plugin.tools.filter((tool) => this.addTool(tool, kind));
    this.#plugins.set(plugin.id, tools.length === plugin.tools.length ? plugin : { ...plugin, tools });
  }

  addTool(tool: Tool, kind: ToolSource['kind']): boolean {
    const objection = this.#objectionTo(tool, kind);
    if (objection) this.#issues.push(`The tool ${tool.name} of ${tool.source.id} was skipped: ${objection}.`);
    else this.#tools.set(tool.name, tool);
    return objection === undefined;
  }

  contents() {
    const plugins = [...this.#plugins.values()];
    return {
      tools: [...this.#tools.values()],
      byName: this.#tools,
      plugins,
      skills: plugins.flatMap((plugin) => skillOf(plugin) ?? []),
      issues: this.#issues,
    };
  }

  #objectionTo(tool: Tool, kind: ToolSource['kind']): string | undefined {
    if (tool.source.kind !== kind) return `it declares itself as ${tool.source.kind}, but it is ${kind}`;
    if (!NAME.test(tool.name)) return 'a name can have up to 128 letters, digits, "_" and "-"';
    if (kind !== 'built-in' && tool.name.startsWith(RESERVED))
      return `names with ${RESERVED} are reserved for built-in tools`;
    const other = this.#tools.get(tool.name);
    return other && `${other.source.id} already has a tool with this name`;
  }
}
