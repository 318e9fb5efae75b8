import { z } from 'zod';
import type { ToolSettings } from '../../../../contract/config.ts';
import type { ProcessRegistry } from '../../../processes/registry.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { type ToolContext, ToolFailure, type ToolOutput } from '../../tool.ts';
import { oneLine } from '../listing.ts';
import { type FolderSource, workingFolder } from '../working-folder.ts';
import { KeptOutput } from './kept-output.ts';
import { type Script, ScriptProcess } from './script.ts';

export interface BashSettings extends FolderSource {
  readonly settings: () => Pick<ToolSettings, 'bash'>;
  readonly registry?: ProcessRegistry | undefined;
  /** What a script is told besides the little that every program is: PARLEY_URL, and a PATH with `parley` on it. */
  readonly environment: () => Readonly<Record<string, string>>;
}

const ID = 'bash';
const SECONDS = { foreground: 120, background: 1800 };

/** Full authority over this machine, only for the agents that the configuration names. */
export function bashPlugin(bash: BashSettings): Plugin {
  return {
    id: ID,
    description: 'Runs any command on this machine. Off unless the configuration names the agents that can use it.',
    skillPath: null,
    command: commandOf(ID),
    tools: [bashTool(bash)],
  };
}

function bashTool(bash: BashSettings) {
  const input = z.strictObject({
    command: z.string().min(1).max(100_000).describe('A bash script'),
    background: z.boolean().default(false).describe('Return at once; you are notified when it ends'),
    timeoutSeconds: z.int().min(1).max(86_400).optional().describe('Default 120; in the background 1800'),
  });
  return defineTool(
    {
      name: 'bash',
      description:
        'Run a bash script in your workspace and get its output and exit code. Processes it starts are stopped when it ends.',
      input,
      capabilities: ['bash.execute'],
      risk: 'execute',
      source: { kind: 'built-in', id: ID },
      agents: () => bash.settings().bash.agents,
      workingFolder: (working) => workingFolder(bash.workspaces, working),
    },
    async ({ command, background, timeoutSeconds }, context) => {
      const seconds = timeoutSeconds ?? SECONDS[background ? 'background' : 'foreground'];
      const script = { command, seconds, ...(await scriptSettings(bash, context)) };
      return background ? runAside(script, context) : runNow(script, context);
    },
  );
}

async function scriptSettings(bash: BashSettings, context: ToolContext): Promise<Omit<Script, 'command' | 'seconds'>> {
  const token = context.turnToken();
  return {
    folder: context.approvedFolder ?? (await workingFolder(bash.workspaces, context)),
    environment: { ...bash.environment(), ...(token !== null && { PARLEY_TURN_TOKEN: token }) },
    registry: bash.registry,
  };
}

async function runNow(script: Script, context: ToolContext): Promise<ToolOutput> {
  await using process = await ScriptProcess.start(script, context.signal);
  const kept = new KeptOutput();
  for await (const text of process.output()) {
    kept.add(text);
    context.progress({ text });
  }
  const { words, isGood } = await process.ending();
  context.signal.throwIfAborted();
  const output = kept.text();
  return { text: `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}[${words}]`, isError: !isGood };
}

async function runAside(script: Script, context: ToolContext): Promise<string> {
  const { sessionId } = await context.background({
    title: `bash: ${oneLine(script.command, 80)}`,
    description: script.command,
    run: (signal) => follow(script, signal),
  });
  return `Started in the background, in session ${sessionId}. You will be notified when it ends.`;
}

async function* follow(script: Script, signal: AbortSignal): AsyncGenerator<string> {
  await using process = await ScriptProcess.start(script, signal);
  const kept = new KeptOutput();
  for await (const text of process.output()) {
    const shown = kept.add(text);
    if (shown) yield shown;
  }
  const { words, finished } = await process.ending();
  signal.throwIfAborted();
  yield `${kept.rest()}\n[${words}]`;
  if (!finished) throw new ToolFailure(`The script was ${words}.`);
}
