import { spawn } from 'node:child_process';

const CHECKS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-p', '.']],
  ['types of the web app', ['node_modules/typescript/bin/tsc', '-p', 'web']],
];

/** What can be said without running anything, side by side. Prints what each has to say; names those that failed. */
export async function runChecks(): Promise<string[]> {
  const failed = await Promise.all(CHECKS.map(([name, args]) => runCheck(name, args)));
  return failed.flat();
}

async function runCheck(name: string, args: readonly string[]): Promise<string[]> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  process.stdout.write(Buffer.concat(output));
  console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${name} (${Math.round(performance.now() - began)} ms)`);
  return code === 0 ? [] : [name];
}
