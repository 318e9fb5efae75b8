// `node scripts/run.mjs FILE ARGS…`: sets up what is missing, then runs FILE with the right Node. Any Node >= 18.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT, withRuntimeFirst } from './runtime.mjs';
import { setUp } from './setup.mjs';

const [file, ...args] = process.argv.slice(2);
const runtime = setUp();
// As the program's own first line says it.
const flags = file === 'bin/parley.mjs' ? ['--max-semi-space-size=32'] : [];
const child = spawn(runtime, [...flags, path.join(ROOT, file), ...args], {
  stdio: 'inherit',
  env: withRuntimeFirst(runtime),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal ? 128 + 15 : 1);
});
