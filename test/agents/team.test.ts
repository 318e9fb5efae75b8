import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { acpAgent } from './acp/fixture.ts';
import { openScripted } from './cli/scripted/open.ts';
import { describeTeam, ofCommandLine, type TeamProgram } from './team.ts';

describeTeam('a scripted Claude Code', async () => ofCommandLine(await openScripted('claude')));
describeTeam('a scripted Codex', async () => ofCommandLine(await openScripted('codex')));
describeTeam('a scripted Pi', async () => ofCommandLine(await openScripted('pi')));
describeTeam('an ACP program', openAcp);

async function openAcp(): Promise<TeamProgram> {
  const memory = mkdtempSync(path.join(tmpdir(), 'parley-acp-'));
  const { agentId: _, toolAllowlist: __, ...definition } = acpAgent('', memory) as Record<string, unknown>;
  const close = async () => rmSync(memory, { recursive: true, force: true });
  return {
    definition,
    env: {},
    greet: 'say Hello.',
    search: (query) => `call knowledge_search ${JSON.stringify({ query })}`,
    close,
  };
}
