import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { CliProvider } from '../../../contract/agent-settings.ts';
import { type Environment, variable } from '../../config/environment.ts';
import { startChild } from '../../processes/child.ts';
import { cleanEnvironment } from '../../processes/environment.ts';

export type ProgramName = 'claude' | 'codex' | 'pi' | 'gemini' | 'opencode';

/** What is known of a program before it is started. */
interface Program {
  /** As it calls itself. */
  readonly title: string;
  readonly install: string;
  /** Typed in a terminal to sign in. */
  readonly signIn: string;
  /** Variables of the server that it is given, if they are set: where its files are, whom it asks, with which key. */
  readonly variables: readonly string[];
  /** One of these is enough to be signed in. */
  readonly keys: readonly string[];
  /** Where its own files are: a variable that says so, or a folder in the home folder. */
  readonly folder: { readonly variable: string | null; readonly inHome: string };
  /** Files in that folder that it writes when the person signs in. */
  readonly credentials: readonly string[];
}

/** Proxies and certificates, which any program needs that calls others. */
const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
];

const CLOUD_KEYS = ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_BEARER_TOKEN_BEDROCK', 'GOOGLE_APPLICATION_CREDENTIALS'];
const CLOUD = [...CLOUD_KEYS, 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION', 'GOOGLE_CLOUD_PROJECT'];

export const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  claude: {
    title: 'Claude Code',
    install: 'npm install -g @anthropic-ai/claude-code',
    signIn: 'claude',
    variables: [
      'CLAUDE_CONFIG_DIR',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      ...CLOUD,
    ],
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', ...CLOUD_KEYS],
    folder: { variable: 'CLAUDE_CONFIG_DIR', inHome: '.claude' },
    credentials: ['.credentials.json'],
  },
  codex: {
    title: 'Codex',
    install: 'npm install -g @openai/codex',
    signIn: 'codex login',
    variables: ['CODEX_HOME'],
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    folder: { variable: 'CODEX_HOME', inHome: '.codex' },
    credentials: ['auth.json'],
  },
  pi: {
    title: 'Pi',
    install: 'npm install -g @earendil-works/pi-coding-agent',
    signIn: 'pi',
    variables: ['PI_CODING_AGENT_DIR', 'PI_OFFLINE', ...CLOUD],
    keys: [
      ...['ANTHROPIC', 'OPENAI', 'GEMINI', 'GROQ', 'XAI', 'OPENROUTER', 'MISTRAL', 'CEREBRAS', 'ZAI'].map(
        (provider) => `${provider}_API_KEY`,
      ),
      ...CLOUD_KEYS,
    ],
    folder: { variable: 'PI_CODING_AGENT_DIR', inHome: '.pi/agent' },
    credentials: ['auth.json', 'models.json'],
  },
  gemini: {
    title: 'Gemini CLI',
    install: 'npm install -g @google/gemini-cli',
    signIn: 'gemini',
    variables: ['GOOGLE_GEMINI_BASE_URL', ...CLOUD],
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', ...CLOUD_KEYS],
    folder: { variable: null, inHome: '.gemini' },
    credentials: ['oauth_creds.json'],
  },
  opencode: {
    title: 'opencode',
    install: 'npm install -g opencode-ai',
    signIn: 'opencode auth login',
    variables: ['OPENCODE_CONFIG', ...CLOUD],
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', ...CLOUD_KEYS],
    folder: { variable: null, inHome: '.local/share/opencode' },
    credentials: ['auth.json'],
  },
};

export const PROGRAM_OF = { 'claude-cli': 'claude', 'codex-cli': 'codex', 'pi-cli': 'pi' } as const satisfies Record<
  CliProvider,
  ProgramName
>;

/** The file that the shell would start for a command, or null: a name is looked for on the PATH, a path is itself. */
export function findProgram(env: Environment, command: string): string | null {
  if (command.includes(path.sep)) return isProgram(path.resolve(command)) ? path.resolve(command) : null;
  const folders = (variable(env, 'PATH') ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, command)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const VERSION_MS = 10_000;

/** What `--version` says, such as `2.1.325`; null when the program does not say. */
export async function programVersion(env: Environment, name: ProgramName, file: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(VERSION_MS);
    const child = await startChild({ command: file, args: ['--version'], env: programEnvironment(env, name), signal });
    child.closeInput();
    let version: string | null = null;
    for await (const line of child.lines) version ??= /\d+(\.\d+)+\S*/.exec(line)?.[0] ?? null;
    return version;
  } catch {
    return null;
  }
}

/** `unknown`: the machine may keep the credentials elsewhere, such as in the keychain of a Mac. */
export type SignIn = 'yes' | 'no' | 'unknown';

/** Whether the program will find a key or the credentials of a person. Looks at names and files, never into them. */
export function signInState(env: Environment, name: ProgramName): SignIn {
  const { keys, folder, credentials } = PROGRAMS[name];
  if (keys.some((key) => variable(env, key) !== undefined)) return 'yes';
  const own = folder.variable === null ? undefined : variable(env, folder.variable);
  const place = own ?? path.join(variable(env, 'HOME') ?? homedir(), folder.inHome);
  if (credentials.some((file) => existsSync(path.join(place, file)))) return 'yes';
  return process.platform === 'darwin' ? 'unknown' : 'no';
}

/** The variables that a program is given: the usual few, its own, and those that its definition adds. */
export function programEnvironment(
  env: Environment,
  name: ProgramName,
  add: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { variables, keys } = PROGRAMS[name];
  const passed = [...variables, ...keys, ...NETWORK].map((variable) => [variable, env[variable]] as const);
  return cleanEnvironment(env, { ...Object.fromEntries(passed), ...add });
}
