import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { ChatSettings } from '../contract/agent-settings.ts';
import type { AgentPatch } from '../contract/agents.ts';
import { CommandFailure, EXIT_USAGE } from './failure.ts';

export interface AgentFlags {
  file?: string;
  displayName?: string;
  description?: string;
  extends?: string;
  parent?: string;
  systemPrompt?: string;
  provider?: ChatSettings['provider'];
  model?: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  color?: string;
  icon?: string;
  welcome?: string;
  hidden?: boolean;
  yes?: boolean;
}

/** The fields a person is likely to set by hand; a file can say everything. */
export function addAgentFlags(command: Command): Command {
  return command
    .option('-f, --file <file>', 'the definition as JSON; - for stdin')
    .option('--display-name <name>', 'display name')
    .option('--description <text>', 'description')
    .option('--extends <id>', 'a template or agent to inherit from')
    .option('--parent <agent>', 'its parent agent')
    .option('--system-prompt <text>', 'instructions for the agent')
    .addOption(
      new Option('--provider <name>', 'model provider, or a program').choices([
        'openai',
        'openai-compatible',
        'anthropic',
        'demo',
        'claude-cli',
        'codex-cli',
        'pi-cli',
      ]),
    )
    .option('--model <name>', 'model name')
    .option('--base-url <url>', 'base URL of the model server')
    .option('--api-key-env <variable>', 'environment variable with the API key')
    .option('--color <#rrggbb>', 'colour')
    .option('--icon <emoji>', 'icon')
    .option('--welcome <text>', 'greeting')
    .option('--hidden', 'hide it from lists')
    .option('-y, --yes', 'do not ask for confirmation before a program may run');
}

/** What the file says, and over it what the flags say. */
export async function readAgentFlags(flags: AgentFlags): Promise<AgentPatch & { agentId?: string }> {
  const fromFile = flags.file === undefined ? {} : await readDefinition(flags.file);
  const chat = { ...fromFile.chat, ...chatOf(flags) };
  return { ...fromFile, ...fieldsOf(flags), ...(Object.keys(chat).length > 0 && { chat }) };
}

function fieldsOf(flags: AgentFlags): AgentPatch {
  return given({
    displayName: flags.displayName,
    description: flags.description,
    extends: flags.extends,
    parentAgentId: flags.parent,
    systemPrompt: flags.systemPrompt,
    color: flags.color,
    icon: flags.icon,
    welcomeMessage: flags.welcome,
    uiVisible: flags.hidden ? false : undefined,
  });
}

function chatOf({ provider, model, baseUrl, apiKeyEnv }: AgentFlags): ChatSettings {
  const apiKey = apiKeyEnv === undefined ? undefined : `\${${apiKeyEnv}}`;
  return given({ provider, model, baseUrl, apiKey });
}

function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

async function readDefinition(file: string): Promise<AgentPatch & { agentId?: string }> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'is not valid JSON' : `can't be read (${(error as NodeJS.ErrnoException).code})`;
    throw new CommandFailure(`${file} ${why}.`, EXIT_USAGE);
  }
}
