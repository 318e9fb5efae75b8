import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { InitializeResponse } from '@agentclientprotocol/sdk';
import { say } from '../../../contract/texts.ts';
import type { AgentDeps, Finding } from '../agent.ts';
import { findProgram } from '../cli/programs.ts';
import { AcpFailure } from './failure.ts';
import { AcpProgram } from './program.ts';
import type { AcpSettings } from './settings.ts';

const TIMEOUT_MS = 30_000;

/** A program whose command line was confirmed is started and greeted; of any other it is only told where it is. */
export async function testAcp(settings: AcpSettings, deps: AgentDeps, mayStart: boolean): Promise<Finding[]> {
  const { command } = settings;
  const file = findProgram(deps.environment, command);
  if (file === null) return [{ state: 'problem', text: say('connection.programMissing', { command }) }];
  const found: Finding = { state: 'ok', text: say('connection.programFile', { file }) };
  if (!mayStart) return [found, { state: 'warning', text: say('connection.unconfirmed') }];
  return [found, ...(await greet(settings, deps))];
}

async function greet(settings: AcpSettings, deps: AgentDeps): Promise<Finding[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-connection-'));
  try {
    const program = await AcpProgram.start(settings, deps, folder, AbortSignal.timeout(TIMEOUT_MS));
    await program.close();
    return judge(settings, program.about);
  } catch (error) {
    if (!(error instanceof AcpFailure)) throw error;
    const { message, text } = error.error;
    return [{ state: 'problem', text: { ...say('connection.unreachable', { reason: message }), ...text, message } }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function judge({ command, authMethod }: AcpSettings, { agentInfo, authMethods = [] }: InitializeResponse): Finding[] {
  const name = [agentInfo?.title ?? agentInfo?.name ?? command, agentInfo?.version].filter(Boolean).join(' ');
  const answered: Finding = { state: 'ok', text: say('connection.acp', { name }) };
  if (authMethod !== undefined || authMethods.length === 0) return [answered];
  const methods = authMethods.map(({ id }) => id).join(', ');
  return [answered, { state: 'warning', text: say('connection.acpSignIn', { methods }) }];
}
