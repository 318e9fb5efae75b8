import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { RunTool, ToolInfo } from '../../contract/tools.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { look, print } from '../output.ts';
import { safeLine, safeText } from '../terminal-text.ts';
import { pad } from '../text-width.ts';
import { plain, propertiesOf, readObject, toolInput } from '../tool-input.ts';
import { readToolWords, type ToolWords } from '../tool-words.ts';

export function define(command: Command): void {
  command
    .description('Run a tool as yourself or, if PARLEY_TURN_TOKEN is set, as the agent of that turn.')
    .usage("<plugin> <operation> [--key value ...] [--json '{...}'] [-]")
    .argument('[words...]', 'the plugin, the operation and its arguments')
    .option('--home <folder>', 'the data folder; goes before the plugin')
    // Everything after the plugin belongs to the tool, also what looks like an option of ours.
    .passThroughOptions()
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], options: HomeOption) => tool(command, words, options));
}

async function tool(command: Command, words: readonly string[], options: HomeOption): Promise<void> {
  const read = readToolWords(words);
  if (read.names.length === 0) return command.outputHelp();
  const piped = needsPipe(read) ? await text(process.stdin) : '';
  await withClient(options, async ({ client }) => {
    const { tools } = await client.call('listTools');
    const target = findTarget(tools, read);
    if (target?.tool && read.help) return describeTool(target.tool);
    if (read.help || !target) return describePlugin(client, tools, read.names);
    await runTool(client, read, target, piped);
  });
}

function needsPipe({ help, fromPipe, flags }: ToolWords): boolean {
  return !help && (fromPipe || [...flags.values()].some((values) => values.includes('-')));
}

interface Target {
  /** Undefined when the tool is not listed for the caller: the server then says why. */
  tool: ToolInfo | undefined;
  names: Pick<RunTool, 'plugin' | 'operation' | 'tool'>;
}

/** By plugin and operation, or by the tool's own name. Null when only a plugin was named. */
function findTarget(tools: readonly ToolInfo[], { names: [first, operation] }: ToolWords): Target | null {
  if (operation === undefined) {
    const tool = tools.find(({ name }) => name === first);
    return tool ? { tool, names: { tool: tool.name } } : null;
  }
  const tool = toolsOf(tools, first!).find(({ name }) => isCalled(name, first!, operation));
  return { tool, names: { plugin: first, operation } };
}

function toolsOf(tools: readonly ToolInfo[], plugin: string): ToolInfo[] {
  return tools.filter(({ source }) => source.id === plugin);
}

/** `reading-list` `add` is `reading_list_add`. */
function isCalled(name: string, plugin: string, operation: string): boolean {
  return plain(name) === plain(operation) || plain(name) === plain(plugin) + plain(operation);
}

async function runTool(client: ParleyClient, read: ToolWords, { tool, names }: Target, piped: string): Promise<void> {
  const base = read.fromPipe ? readObject(piped) : {};
  const { output, isError } = await client.call('runTool', {
    body: { ...names, input: { ...base, ...toolInput(read, tool, piped) } },
  });
  const shown = safeText(output);
  const stream = isError ? process.stderr : process.stdout;
  if (shown !== '') stream.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  if (isError) process.exitCode = 1;
}

/** A skill has operations; other tools go by their own names. */
async function describePlugin(
  client: ParleyClient,
  tools: readonly ToolInfo[],
  names: readonly string[],
): Promise<void> {
  const [plugin = '', operation] = names;
  const { skills } = await client.call('listSkills');
  const skill = skills.find(({ id }) => id === plugin);
  const offered = skill?.operations ?? toolsOf(tools, plugin).map(({ name }) => name);
  if (offered.length === 0) throw new CommandFailure(`Unknown plugin ${plugin}. See: parley tools`);
  if (operation !== undefined)
    throw new CommandFailure(`${plugin} has no operation ${operation}. It has: ${offered.join(', ')}`);
  const usage = `parley tool ${skill ? `${safeLine(plugin)} <operation>` : '<tool>'}`;
  print(`Usage: ${usage} [--key value ...]\n`);
  for (const name of offered) print(`  ${look().bold(pad(safeLine(name), 20))}  ${about(tools, plugin, name)}`);
  print(`\nFor its arguments: ${usage} --help`);
}

function about(tools: readonly ToolInfo[], plugin: string, operation: string): string {
  const tool = toolsOf(tools, plugin).find(({ name }) => isCalled(name, plugin, operation));
  return safeLine(tool?.description ?? '');
}

function describeTool(tool: ToolInfo): void {
  print(
    `${look().bold(safeLine(tool.name))}  ${look().dim(`${tool.risk}, ${tool.source.kind} ${safeLine(tool.source.id)}`)}`,
  );
  print(safeText(tool.description));
  const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : [];
  for (const [name, shape] of propertiesOf(tool)) {
    const { type, description } = shape as { type?: unknown; description?: unknown };
    const kind = `${[type ?? 'anything'].flat().join(' or ')}${required.includes(name) ? ', required' : ''}`;
    print(`  --${pad(safeLine(name), 16)}  ${safeLine(`${kind}${description ? `: ${description}` : ''}`)}`);
  }
}

const EXAMPLES = `
Numbers, true, false, lists and objects are recognised as values unless the tool expects text. A repeated key makes a
list; a key without a value is true. Use --key=value for values that start with --. --key - reads the value from stdin;
- alone reads the whole input from stdin as JSON. The exit code is 1 if the tool fails.

Examples:
  $ parley tool reading-list --help                 its operations
  $ parley tool reading-list add --help             arguments of an operation
  $ parley tool reading-list add --url https://example.org --tags later --tags long
  $ parley tool journal add --title Lisbon --text - < lisbon.md
  $ parley tool todo add --json '{"title":"oat milk","priority":"high"}'
  $ parley tool web_fetch --url https://example.org   by tool name, as listed by \`parley tools\``;
