import { Argument, type Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { type Completable, SCRIPTS } from '../completion-scripts.ts';
import type { HomeOption } from '../connect.ts';
import { findServer } from '../discovery.ts';
import { resolveHome } from '../home.ts';
import { print } from '../output.ts';
import { buildProgram } from '../program.ts';

export function define(command: Command): void {
  command
    .description('Print a script that completes commands, options, agents, sessions and templates in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish', ...WORD_KINDS]))
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(complete);
}

const WORD_KINDS = ['agents', 'sessions', 'templates'] as const;
type WordKind = (typeof WORD_KINDS)[number];

async function complete(wanted: string, options: HomeOption): Promise<void> {
  if (isWordKind(wanted)) return printWords(wanted, options);
  const program = await buildProgram(() => true);
  print(SCRIPTS[wanted as keyof typeof SCRIPTS](program.commands.map(toCompletable)));
}

function isWordKind(wanted: string): wanted is WordKind {
  return WORD_KINDS.includes(wanted as WordKind);
}

function toCompletable(command: Command): Completable {
  const below = command.commands.map((child) => child.name());
  const options = [command, ...command.commands].flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  return { name: command.name(), summary: command.summary(), words: [...below, ...new Set(options)] };
}

/** Asked for by the scripts at every Tab: quick, and silent when there is nothing to say. */
async function printWords(kind: WordKind, { home }: HomeOption): Promise<void> {
  const client = await findServer(resolveHome(home)).catch(() => null);
  if (!client) return;
  const words = await WORDS[kind](client);
  // Shells expand what they complete: a name that could mean something to one is left out.
  for (const word of words) if (/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(word)) print(word);
}

const WORDS: Record<WordKind, (client: ParleyClient) => Promise<string[]>> = {
  agents: async (client) => (await client.call('listAgents')).agents.map(({ agentId }) => agentId),
  sessions: async (client) =>
    (await client.call('listSessions', { query: { limit: 100 } })).sessions.flatMap(({ name }) => name ?? []),
  templates: async (client) => (await client.call('listSessionTemplates')).templates.map(({ name }) => name),
};

const EXAMPLES = `
Examples:
  bash:  echo 'source <(parley completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(parley completion zsh)' >> ~/.zshrc
  fish:  parley completion fish > ~/.config/fish/completions/parley.fish

\`completion agents\`, \`completion sessions\` and \`completion templates\` print the names the scripts use.`;
