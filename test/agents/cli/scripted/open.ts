import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newFolder, type ProgramUnderTest } from '../bench.ts';

const FOLDERS = {
  claude: '.claude/projects',
  codex: '.codex/sessions',
  'codex-exec': '.codex/sessions',
  pi: '.pi/agent/sessions',
} as const;

export type ScriptedName = keyof typeof FOLDERS;

/** A scripted program in place of the real one, as a file that can be executed. */
export async function openScripted(name: ScriptedName): Promise<ProgramUnderTest> {
  const home = newFolder(`scripted-${name}`);
  return {
    name,
    definition: scriptedDefinition(name, home),
    env: { HOME: home },
    forget: () => rmSync(path.join(home, FOLDERS[name]), { recursive: true, force: true }),
    close: async () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Puts the program into the folder, and gives what the definition of an agent says of it. */
export function scriptedDefinition(name: ScriptedName, folder: string): object {
  const command = path.join(folder, name);
  const script = path.join(import.meta.dirname, `${name}.ts`);
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(command, 0o755);
  const provider = name === 'codex-exec' ? 'codex-cli' : `${name}-cli`;
  return { chat: { provider, cli: { command } } };
}
