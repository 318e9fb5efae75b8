import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ProgramUnderTest } from '../cli/bench.ts';
import { type Abilities, CLI } from '../cli/flows.ts';
import { startCodexModel, startModel } from './model.ts';
import { codexConfig, newHome, programPath } from './programs.ts';

export const ACP: Abilities = { ...CLI, steers: false, survivesCancel: true };

/** The programs are started by the Node that is found first. The server hands these two on by itself. */
function own(home: string) {
  return { HOME: home, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` };
}

/** As a definition has them: read from the server's environment. */
function passedOn(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`]));
}

export async function openClaudeAgentAcp(): Promise<ProgramUnderTest> {
  const model = await startModel();
  const home = newHome('claude-agent-acp');
  const env = {
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'test' },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', CLAUDE_CODE_MAX_RETRIES: '0' },
    // The program refuses to be started by root outside a sandbox.
    IS_SANDBOX: '1',
  };
  return {
    name: 'claude-agent-acp',
    definition: { type: 'acp', acp: { command: programPath('claude-agent-acp'), env: passedOn(env) } },
    env: { ...own(home), ...env },
    forget: () => rmSync(path.join(home, '.claude/projects'), { recursive: true, force: true }),
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export async function openCodexAcp(): Promise<ProgramUnderTest> {
  const model = await startCodexModel();
  const home = newHome('codex-acp');
  const codexHome = path.join(home, '.codex');
  const configure = () => {
    rmSync(codexHome, { recursive: true, force: true });
    mkdirSync(codexHome);
    writeFileSync(path.join(codexHome, 'config.toml'), codexConfig(model.url));
  };
  configure();
  const env = { CODEX_HOME: codexHome, OPENAI_API_KEY: 'test' };
  return {
    name: 'codex-acp',
    definition: {
      type: 'acp',
      acp: {
        ...{ command: programPath('codex-acp'), env: passedOn(env) },
        ...{ mode: 'workspace-write', guestMode: 'read-only' },
      },
    },
    env: { ...own(home), ...env },
    forget: configure,
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export async function openGeminiAcp(): Promise<ProgramUnderTest> {
  const model = await startModel();
  const home = newHome('gemini');
  const folder = path.join(home, '.gemini');
  mkdirSync(folder);
  const settings = {
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
  const env = { GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: model.url };
  // Its own choice of a model asks a model first.
  const args = ['--acp', '--skip-trust', '-m', 'gemini-2.5-flash'];
  return {
    name: 'gemini',
    definition: {
      type: 'acp',
      acp: { command: programPath('gemini'), args, env: passedOn(env), authMethod: 'gemini-api-key', ownFiles: true },
    },
    env: { ...own(home), ...env },
    forget: () => rmSync(path.join(folder, 'tmp'), { recursive: true, force: true }),
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export async function openOpencodeAcp(): Promise<ProgramUnderTest> {
  const model = await startModel();
  const home = newHome('opencode');
  const provider = { npm: '@ai-sdk/openai-compatible', options: { baseURL: `${model.url}/v1`, apiKey: 'test' } };
  const config = {
    model: 'scripted/m1',
    small_model: 'scripted/m1',
    provider: { scripted: { ...provider, name: 'Scripted', models: { m1: { name: 'M1' } } } },
    permission: { '*': 'ask' },
    autoupdate: false,
    share: 'disabled',
  };
  // It looks for a list of models and for language servers in the internet when it starts.
  const offline = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' };
  const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), ...offline };
  return {
    name: 'opencode',
    definition: { type: 'acp', acp: { command: programPath('opencode'), args: ['acp'], env: passedOn(env) } },
    env: { ...own(home), ...env },
    forget: () => rmSync(path.join(home, '.local/share/opencode'), { recursive: true, force: true }),
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** It starts Pi, which has no permissions, and hands no MCP servers on to it. */
export async function openPiAcp(): Promise<ProgramUnderTest> {
  const model = await startModel();
  const home = newHome('pi-acp');
  const folder = path.join(home, '.pi/agent');
  mkdirSync(folder, { recursive: true });
  const scripted = { baseUrl: `${model.url}/v1`, api: 'openai-completions', apiKey: 'test', models: [{ id: 'm1' }] };
  writeFileSync(path.join(folder, 'models.json'), JSON.stringify({ providers: { scripted } }));
  // Its first answer would begin with words about itself.
  const settings = { defaultProvider: 'scripted', defaultModel: 'm1', quietStartup: true };
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
  const env = { PI_ACP_PI_COMMAND: programPath('pi'), PI_OFFLINE: '1' };
  return {
    name: 'pi-acp',
    definition: { type: 'acp', acp: { command: programPath('pi-acp'), env: passedOn(env) } },
    env: { ...own(home), ...env },
    forget: () => rmSync(path.join(folder, 'sessions'), { recursive: true, force: true }),
    close: async () => {
      await model.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
