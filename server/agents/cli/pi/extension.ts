import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * What Parley adds to Pi, which has neither MCP nor permissions: it offers Parley's tools, and asks before each of Pi's own.
 * Everything goes through Pi's own channel for questions to the person (`ctx.ui.input`), which Parley answers, so that no
 * token leaves the server.
 */
const SOURCE = `// Written by Parley; it is written again when a turn starts.
async function ask(ctx, kind, value) {
  const answer = await ctx.ui.input('parley:' + kind, JSON.stringify(value));
  return answer === undefined ? null : JSON.parse(answer);
}

export default function parley(pi) {
  const offered = new Set();

  function offer({ name, description, inputSchema }) {
    if (offered.has(name)) return;
    offered.add(name);
    pi.registerTool({
      name,
      label: name,
      description,
      promptSnippet: description.split('\\n')[0],
      parameters: inputSchema,
      async execute(callId, input, _signal, _onUpdate, ctx) {
        const answer = await ask(ctx, 'call', { callId, name, input });
        if (answer === null || answer.isError) throw new Error(answer?.output ?? 'The call was cancelled.');
        return { content: [{ type: 'text', text: answer.output }], details: {} };
      },
    });
  }

  async function offerAll(ctx) {
    const tools = (await ask(ctx, 'tools', null)) ?? [];
    for (const tool of tools) offer(tool);
    const names = new Set(tools.map(({ name }) => name));
    const others = pi.getActiveTools().filter((name) => !offered.has(name));
    pi.setActiveTools([...others, ...names]);
  }

  pi.on('before_agent_start', async (_event, ctx) => {
    await offerAll(ctx);
  });

  pi.on('tool_call', async (event, ctx) => {
    if (offered.has(event.toolName)) return undefined;
    const call = { callId: event.toolCallId, name: event.toolName, input: event.input };
    const permission = await ask(ctx, 'approve', call);
    if (!permission?.allowed) return { block: true, reason: permission?.reason ?? 'The call was cancelled.' };
    if (permission.input) {
      for (const key of Object.keys(event.input)) delete event.input[key];
      Object.assign(event.input, permission.input);
    }
    return undefined;
  });
}
`;

/** Writes the extension into the data folder; gives the file. */
export async function writeExtension(home: string): Promise<string> {
  const folder = path.join(home, 'pi');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'parley-extension.mjs');
  await writeFile(file, SOURCE, { mode: 0o600 });
  return file;
}
