import type { Command } from 'commander';
import type { HomeOption } from '../connect.ts';
import { type Finding, findings } from '../diagnosis.ts';
import { resolveHome } from '../home.ts';
import { look, print } from '../output.ts';
import { pad } from '../text-width.ts';

export function define(command: Command): void {
  command
    .description('Check everything Parley needs and report problems. Changes nothing.')
    .option('--home <folder>', 'the data folder')
    .action(doctor);
}

async function doctor({ home }: HomeOption): Promise<void> {
  const all = await findings(resolveHome(home), process.env);
  for (const { state, what, detail } of all) print(`${mark(state)} ${pad(what, 14)} ${detail}`);
  if (all.some(({ state }) => state === 'bad')) process.exitCode = 1;
}

function mark(state: Finding['state']): string {
  if (state === 'good') return 'ok  ';
  return state === 'bad' ? look().red('BAD ') : look().dim('-   ');
}
