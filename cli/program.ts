import { Command, CommanderError } from 'commander';
import { COMMANDS, type CommandEntry, GROUPS } from './command-table.ts';
import { CommandFailure, EXIT_USAGE } from './failure.ts';
import { look, surviveClosedPipes } from './output.ts';
import { packageVersion } from './version.ts';

/** Does what the arguments say and ends the process. */
export async function execute(args: string[]): Promise<void> {
  surviveClosedPipes();
  try {
    const program = await buildProgram((name) => args.slice(0, 2).includes(name));
    if (args.length === 0) program.outputHelp();
    else await parse(program, args);
  } catch (error) {
    process.exitCode = await exitCodeFor(error);
  }
  await Promise.all([process.stdout, process.stderr].map(flush));
  // Connections that are kept for a next request would keep the process, too.
  process.exit();
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

async function parse(program: Command, args: string[]): Promise<void> {
  assertSubcommand(program, args);
  await program.parseAsync(args, { from: 'user' });
}

/** Where a command has a default, Commander would take a mistyped sub-command for an argument of that default. */
function assertSubcommand(program: Command, [name, word]: string[]): void {
  const command = program.commands.find((one) => one.name() === name);
  const names = command?.commands.map((one) => one.name()) ?? [];
  if (word === undefined || word.startsWith('-') || names.length === 0 || [...names, 'help'].includes(word)) return;
  throw new CommandFailure(`\`parley ${name}\` has no sub-command "${word}". It has: ${names.join(', ')}`, EXIT_USAGE);
}

/** Every command by name, but only the ones that are asked for with all their options: the others are not even loaded. */
export async function buildProgram(isWanted: (name: string) => boolean): Promise<Command> {
  const program = newProgram();
  for (const group of GROUPS) {
    for (const entry of COMMANDS.filter((command) => command.group === group)) {
      const command = program.command(entry.name).summary(entry.summary).description(entry.summary).helpGroup(group);
      if (isWanted(entry.name)) await define(command, entry);
    }
  }
  return program;
}

async function define(command: Command, entry: CommandEntry): Promise<void> {
  const { define } = await entry.load();
  define(command);
}

function newProgram(): Command {
  return new Command('parley')
    .description('One conversation, many agents.')
    .usage('<command> [options]')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')) })
    .configureHelp({ styleTitle: (title) => look().bold(title), helpWidth: helpWidth() })
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', FIRST_STEPS);
}

function helpWidth(): number {
  return Math.min(process.stdout.columns || 80, 100);
}

async function exitCodeFor(error: unknown): Promise<number> {
  // Commander has said its piece; help that was asked for is not a mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  const { report } = await import('./report.ts');
  return report(error);
}

const FIRST_STEPS = `
First steps:
  $ parley serve                                          start the server
  $ parley agents                                         list your agents
  $ parley chat -a wisp/concierge -m "what's on today?"   send one message
  $ parley chat -a wisp/concierge                         chat interactively

Data is stored in ~/.parley. To use another folder, set --home or PARLEY_HOME.
For help and examples: parley help <command>`;
