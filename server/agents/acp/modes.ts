import { methods, type SetSessionConfigOptionResponse } from '@agentclientprotocol/sdk';
import { say } from '../../../contract/texts.ts';
import { AcpFailure } from './failure.ts';
import type { OpenSession } from './open-session.ts';
import type { AcpProgram } from './program.ts';
import type { AcpSettings } from './settings.ts';

/** Modes in which programs change nothing, best first. */
const READ_ONLY_MODES = ['read-only', 'readonly', 'read_only', 'plan', 'ask', 'architect'];

/** The strictest mode that is known; null when the program has none that is. */
export function guestMode({ guestMode: chosen }: AcpSettings, { modes }: OpenSession): string | null {
  return chosen ?? READ_ONLY_MODES.find((mode) => modes.includes(mode)) ?? null;
}

/** Does nothing when the session is in the mode already. Between prompts only: a program may answer none while it runs. */
export async function switchMode(program: AcpProgram, session: OpenSession, mode: string | null): Promise<void> {
  if (mode === null || session.mode === mode) return;
  if (!session.modes.includes(mode))
    throw new AcpFailure(say('program_failed.mode', { mode, modes: session.modes.join(', ') || '–' }));
  if (!session.hasModeList) return setOption(program, session, session.optionOf('mode')!.id, mode);
  await program.ask(methods.agent.session.setMode, { sessionId: session.id, modeId: mode });
  session.noteMode(mode);
}

/** What the definition says of the program's sessions, besides the mode. */
export async function configure(program: AcpProgram, session: OpenSession, settings: AcpSettings): Promise<void> {
  if (settings.model !== undefined) await setModel(program, session, settings.model);
  for (const [id, value] of settings.configOptions) await setOption(program, session, id, value);
}

/** Older programs have a list of models beside the options, and a method of its own that the SDK no longer names. */
async function setModel(program: AcpProgram, session: OpenSession, model: string): Promise<void> {
  const option = session.optionOf('model');
  if (option) return setOption(program, session, option.id, model);
  await program.ask('session/set_model', { sessionId: session.id, modelId: model });
}

async function setOption(
  program: AcpProgram,
  session: OpenSession,
  configId: string,
  value: string | boolean,
): Promise<void> {
  if (!session.options.some(({ id }) => id === configId))
    throw new AcpFailure(say('program_failed.option', { option: configId }));
  const typed = typeof value === 'boolean' ? { type: 'boolean', value } : { value };
  const { configOptions } = await program.ask<SetSessionConfigOptionResponse>(methods.agent.session.setConfigOption, {
    sessionId: session.id,
    configId,
    ...typed,
  });
  session.noteOptions(configOptions);
}
