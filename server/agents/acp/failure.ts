import type { AuthMethod } from '@agentclientprotocol/sdk';
import { say, type Text } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import type { AgentEnd } from '../agent.ts';
import { TextAgentFailure } from '../text-agent.ts';
import type { AcpSettings } from './settings.ts';

/** What went wrong with a program, in words for the person. */
export class AcpFailure extends TextAgentFailure {
  /** Of the program's own error; null where it gave none. */
  readonly code: number | null;

  constructor(text: Text, code: number | null = null) {
    super(toTurnError('program_failed', text, true));
    this.name = 'AcpFailure';
    this.code = code;
  }

  toEnd(): AgentEnd {
    return { type: 'end', reason: 'failed', stopReason: 'error', error: this.error };
  }
}

/** How a person signs the program in, as far as it says. */
export function signInFailure(settings: AcpSettings, known: readonly AuthMethod[]): AcpFailure {
  const methods = known.map((method) => describeMethod(settings, method)).join('; ');
  return new AcpFailure(methods ? say('program_failed.signIn', { methods }) : say('program_failed.signedOut'));
}

function describeMethod({ command, args }: AcpSettings, method: AuthMethod): string {
  const about = [method.name, method.description].filter(Boolean).join(', ');
  if (!('type' in method) || method.type !== 'terminal') return `"${method.id}" (${about})`;
  const line = [command, ...args, ...(method.args ?? [])].join(' ');
  return `in a terminal, run: ${line} (${about})`;
}
