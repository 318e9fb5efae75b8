import { Argument, type Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { HomeOption } from '../connect.ts';
import { findServer } from '../discovery.ts';
import { resolveHome } from '../home.ts';
import { print } from '../output.ts';
import { buildProgram } from '../program.ts';

export function define(command: Command): void {
  command
    .description(
      'Print a script that completes commands, options, agents, sessions, templates and teams in your shell.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish', ...WORD_KINDS]))
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(complete);
}

const WORD_KINDS = ['agents', 'sessions', 'templates', 'teams'] as const;
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
  teams: async (client) => (await client.call('listTeams')).teams.map(({ name }) => name),
  templates: async (client) => (await client.call('listSessionTemplates')).templates.map(({ name }) => name),
};

const EXAMPLES = `
Examples:
  bash:  echo 'source <(parley completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(parley completion zsh)' >> ~/.zshrc
  fish:  parley completion fish > ~/.config/fish/completions/parley.fish

\`completion agents\`, \`completion sessions\`, \`completion templates\` and \`completion teams\` print the names the scripts use.`;

interface Completable {
  name: string;
  summary: string;
  /** Its subcommands and options. */
  words: readonly string[];
}

const SCRIPTS = { bash, zsh, fish } as const;

function bash(commands: readonly Completable[]): string {
  return `# parley completion for bash
_parley() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$prev" in
    -a|--agent|--guest) words="$(parley completion agents 2>/dev/null)" ;;
    -s|--session) words="$(parley completion sessions 2>/dev/null)" ;;
    -t|--template) words="$(parley completion templates 2>/dev/null)" ;;
    --team) words="$(parley completion teams 2>/dev/null)" ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then words="${names(commands)}"; else
${cases(commands)}
      fi ;;
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$cur") )
}
complete -o default -F _parley parley`.replaceAll('CASE_OF', '"${COMP_WORDS[1]}"');
}

function zsh(commands: readonly Completable[]): string {
  return `#compdef parley
# parley completion for zsh
_parley() {
  local prev="\${words[CURRENT-1]}" words_=""
  local -a offered
  case "$prev" in
    -a|--agent|--guest) words_="$(parley completion agents 2>/dev/null)" ;;
    -s|--session) words_="$(parley completion sessions 2>/dev/null)" ;;
    -t|--template) words_="$(parley completion templates 2>/dev/null)" ;;
    --team) words_="$(parley completion teams 2>/dev/null)" ;;
    *) if [ "$CURRENT" -eq 2 ]; then words_="${names(commands)}"; else
${cases(commands).replaceAll('words=', 'words_=')}
      fi ;;
  esac
  offered=(\${=words_})
  compadd -- $offered
}
compdef _parley parley`.replaceAll('CASE_OF', '"${words[2]}"');
}

function fish(commands: readonly Completable[]): string {
  const lines = commands.flatMap(({ name, summary, words }) => [
    `complete -c parley -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...words.map((word) => `complete -c parley -n "__fish_seen_subcommand_from ${name}" ${fishWord(word)}`),
  ]);
  return ['# parley completion for fish', ...lines, ...FISH_NAMES].join('\n');
}

const FISH_NAMES = [
  'complete -c parley -x -s a -l agent -a "(parley completion agents 2>/dev/null)"',
  'complete -c parley -x -l guest -a "(parley completion agents 2>/dev/null)"',
  'complete -c parley -x -s s -l session -a "(parley completion sessions 2>/dev/null)"',
  'complete -c parley -x -s t -l template -a "(parley completion templates 2>/dev/null)"',
  'complete -c parley -x -l team -a "(parley completion teams 2>/dev/null)"',
];

function fishWord(word: string): string {
  return word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
}

function names(commands: readonly Completable[]): string {
  return commands.map(({ name }) => name).join(' ');
}

function cases(commands: readonly Completable[]): string {
  const lines = commands.map(({ name, words }) => `        ${name}) words="${words.join(' ')}" ;;`);
  return ['      case CASE_OF in', ...lines, '      esac'].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
