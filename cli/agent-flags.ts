import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { AgentPatch, ChatSettings } from '../contract/agents.ts';
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
}

/** The fields a person is likely to set by hand; a file can say everything. */
export function addAgentFlags(command: Command): Command {
  return command
    .option('-f, --file <file>', 'its definition as JSON; - for stdin')
    .option('--display-name <name>', 'how it is shown')
    .option('--description <text>', 'what it is for')
    .option('--extends <id>', 'a template or agent whose fields it inherits')
    .option('--parent <agent>', 'its place in the hierarchy')
    .option('--system-prompt <text>', 'what it is told before everything else')
    .addOption(
      new Option('--provider <name>', 'who runs the model').choices([
        'openai',
        'openai-compatible',
        'anthropic',
        'demo',
      ]),
    )
    .option('--model <name>', 'the model')
    .option('--base-url <url>', 'where the model is served')
    .option('--api-key-env <variable>', 'the environment variable that holds the key')
    .option('--color <#rrggbb>', 'the colour of its name')
    .option('--icon <emoji>', 'its sign')
    .option('--welcome <text>', 'what it says first')
    .option('--hidden', 'leave it out of lists');
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
      error instanceof SyntaxError ? 'is not JSON' : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new CommandFailure(`${file} ${why}.`, EXIT_USAGE);
  }
}
