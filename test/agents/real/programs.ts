import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ProgramUnderTest } from '../cli/bench.ts';
import { startCodexModel, startModel } from './model.ts';

/** Where `npm run test:agents` installs the programs. */
export const PROGRAMS = path.resolve(import.meta.dirname, '../../../.programs');

/** Outside of the temporary folder, where Codex does not set up its sandbox. */
export function newHome(name: string): string {
  return mkdtempSync(path.join(PROGRAMS, `home-${name}-`));
}

export function programPath(name: string): string {
  return path.join(PROGRAMS, 'node_modules/.bin', name);
}

export async function openRealClaude(): Promise<ProgramUnderTest> {
  const model = await startModel();
  const home = newHome('claude');
  const env = {
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'test',
  };
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', CLAUDE_CODE_MAX_RETRIES: '0' };
  return {
    name: 'claude',
    definition: {
      chat: { provider: 'claude-cli', model: 'claude-sonnet-4-5', cli: { command: programPath('claude'), env: quiet } },
    },
    env,
    forget: () => rmSync(path.join(home, '.claude/projects'), { recursive: true, force: true }),
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Without it, only the plan mode of its own terminal interface asks. */
const ASKS = ['-c', 'features.default_mode_request_user_input=true'];

export async function openRealCodex(): Promise<ProgramUnderTest> {
  const model = await startCodexModel();
  const home = newHome('codex');
  const codexHome = path.join(home, '.codex');
  mkdirSync(codexHome);
  writeFileSync(path.join(codexHome, 'config.toml'), codexConfig(model.url));
  return {
    name: 'codex',
    definition: {
      chat: { provider: 'codex-cli', model: 'gpt-5.5', cli: { command: programPath('codex'), args: ASKS } },
    },
    env: { HOME: home, OPENAI_API_KEY: 'test' },
    forget: () => {
      rmSync(codexHome, { recursive: true, force: true });
      mkdirSync(codexHome);
      writeFileSync(path.join(codexHome, 'config.toml'), codexConfig(model.url));
    },
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The same, as an older version was: what it does not know is a prompt for its terminal interface. */
export async function openRealCodexExec(): Promise<ProgramUnderTest> {
  const codex = await openRealCodex();
  const command = path.join(codex.env.HOME!, 'codex');
  const refuse = "echo 'Error: stdin is not a terminal' >&2; exit 1";
  writeFileSync(command, `#!/bin/sh\n[ "$1" = app-server ] && { ${refuse}; }\nexec '${programPath('codex')}' "$@"\n`);
  chmodSync(command, 0o755);
  return { ...codex, definition: { chat: { provider: 'codex-cli', model: 'gpt-5.5', cli: { command } } } };
}

export function codexConfig(url: string): string {
  return [
    'model_provider = "scripted"',
    'model = "gpt-5.5"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${url}/v1"`,
    'env_key = "OPENAI_API_KEY"',
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
  ].join('\n');
}

export async function openRealPi(): Promise<ProgramUnderTest> {
  const model = await startModel();
  const home = newHome('pi');
  const folder = path.join(home, '.pi/agent');
  mkdirSync(folder, { recursive: true });
  const scripted = { baseUrl: `${model.url}/v1`, api: 'openai-completions', apiKey: 'test', models: [{ id: 'm1' }] };
  writeFileSync(path.join(folder, 'models.json'), JSON.stringify({ providers: { scripted } }));
  return {
    name: 'pi',
    definition: { chat: { provider: 'pi-cli', model: 'scripted/m1', cli: { command: programPath('pi') } } },
    // Pi is started by the Node that is found first.
    env: { HOME: home, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, PI_OFFLINE: '1' },
    forget: () => rmSync(path.join(folder, 'sessions'), { recursive: true, force: true }),
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
