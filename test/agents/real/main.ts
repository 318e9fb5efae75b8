// `npm run test:agents [names]`: installs the real programs and runs each against a scripted model. `--skip-install` uses
// what is installed already.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROGRAMS } from './programs.ts';

const PACKAGES = [
  '@anthropic-ai/claude-code@2.1.325',
  '@openai/codex@0.166.0',
  '@earendil-works/pi-coding-agent@0.87.1',
  '@google/gemini-cli@0.61.0',
  'opencode-ai@1.18.33',
  '@agentclientprotocol/claude-agent-acp@0.99.0',
  '@agentclientprotocol/codex-acp@2.6.0',
  'pi-acp@0.0.34',
];

/** They bring their programs by scripts that are executed after they were installed. Other packages' scripts are not needed. */
const WITH_SCRIPTS = ['@anthropic-ai/claude-code', 'opencode-ai'];

const wanted = process.argv.slice(2).filter((word) => word !== '--skip-install');
if (!process.argv.includes('--skip-install')) install();
process.exitCode = runTests();

function install(): void {
  mkdirSync(PROGRAMS, { recursive: true });
  writeFileSync(path.join(PROGRAMS, 'package.json'), '{ "private": true }\n');
  npm('install', '--ignore-scripts', ...PACKAGES);
  npm('rebuild', '--foreground-scripts', ...WITH_SCRIPTS);
}

function npm(command: string, ...args: string[]): void {
  const common = ['--prefix', PROGRAMS, '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', [command, ...common, ...args], { stdio: 'inherit', cwd: PROGRAMS });
  if (status !== 0) throw new Error('the programs could not be installed');
}

function runTests(): number {
  const vitest = path.resolve(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs');
  const config = path.join(import.meta.dirname, 'vitest.config.ts');
  const args = [vitest, 'run', '--config', config, ...wanted.map((name) => `${name}.real`)];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
