export interface Completable {
  name: string;
  summary: string;
  /** Its subcommands and options. */
  words: readonly string[];
}

export const SCRIPTS = { bash, zsh, fish } as const;

function bash(commands: readonly Completable[]): string {
  return `# parley completion for bash
_parley() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$prev" in
    -a|--agent|--guest) words="$(parley completion agents 2>/dev/null)" ;;
    -s|--session) words="$(parley completion sessions 2>/dev/null)" ;;
    -t|--template) words="$(parley completion templates 2>/dev/null)" ;;
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
