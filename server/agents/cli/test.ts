import { say } from '../../../contract/texts.ts';
import type { AgentDeps, Finding } from '../agent.ts';
import { PROGRAM_OF, PROGRAMS, programVersion } from './programs.ts';
import type { CliSettings } from './settings.ts';

/** The program is asked for its version, if its command line is one that may run, and for nothing else. */
export async function testCli(settings: CliSettings, deps: AgentDeps, mayStart: boolean): Promise<Finding[]> {
  const { program: file, provider } = settings;
  if (!mayStart)
    return [
      { state: 'ok', text: say('connection.programFile', { file }) },
      { state: 'warning', text: say('connection.unconfirmed') },
    ];
  const version = await programVersion(deps.environment, PROGRAM_OF[provider], file);
  const text = version ? say('connection.program', { file, version }) : say('connection.programFile', { file });
  return [{ state: 'ok', text }, judgeSignIn(settings)];
}

function judgeSignIn({ provider, signIn: state }: CliSettings): Finding {
  const { title, signIn } = PROGRAMS[PROGRAM_OF[provider]];
  switch (state) {
    case 'yes':
      return { state: 'ok', text: say('connection.signedIn', { title }) };
    case 'no':
      return { state: 'problem', text: say('agent_warning.signIn', { title, signIn }) };
    case 'unknown':
      return { state: 'warning', text: say('connection.signInUnknown', { title }) };
    default:
      return state satisfies never;
  }
}
