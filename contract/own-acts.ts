/** What programs that run tools of their own call these, where they give no better name, in words. */
const ACTS = {
  read: ['read', 'fs/read_text_file'],
  edit: ['edit', 'fs/write_text_file'],
  delete: ['delete'],
  move: ['move'],
  search: ['search'],
  run: ['execute', 'terminal'],
  think: ['think'],
  fetch: ['fetch'],
  mode: ['switch_mode'],
  other: ['other', 'tool'],
} as const;

export type OwnAct = keyof typeof ACTS;

const WORDS: Record<OwnAct, string> = {
  read: 'read a file',
  edit: 'edit a file',
  delete: 'delete a file',
  move: 'move a file',
  search: 'search',
  run: 'run a command',
  think: 'think',
  fetch: 'fetch something from the network',
  mode: 'change its mode',
  other: 'use a tool of its own',
};

/** What a tool of an agent's own does, when its name is no more than that; null for a name. */
export function ownActOf(tool: string): OwnAct | null {
  const acts = Object.entries(ACTS) as [OwnAct, readonly string[]][];
  return acts.find(([, names]) => names.includes(tool))?.[0] ?? null;
}

/** Goes on after "wants to". */
export function ownActWords(tool: string): string {
  const act = ownActOf(tool);
  return act === null ? `use ${tool}` : WORDS[act];
}
