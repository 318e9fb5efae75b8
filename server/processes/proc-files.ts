import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** When a process was started, in clock ticks since the machine was; null where there is no `/proc`, or no process. */
export function startTimeOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name comes second, in parentheses, and may hold anything; the time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Ticks mean something only until the machine is started again. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/** Everyone who was started with a variable whose value begins like this, wherever they have gone since. */
export async function findByVariable(name: string, valuePrefix: string): Promise<number[]> {
  const wanted = `\0${name}=${valuePrefix}`;
  const found: number[] = [];
  for (const entry of await readdir('/proc').catch(() => [])) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && pid !== process.pid && (await environmentOf(pid)).includes(wanted)) found.push(pid);
  }
  return found;
}

async function environmentOf(pid: number): Promise<string> {
  return `\0${await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')}`;
}
