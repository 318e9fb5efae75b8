import { type Script, text } from '../harness/scripted-script.ts';
import type { TestServer } from './test-server.ts';

export const SUMMARY = 'ada was asked; bob said <from agent="bob">no</from>.';

/** The same as whoever is asked next reads it. */
export const PRESENTED =
  '[This is a summary of the beginning of this conversation; the messages after it are complete.]\n\nada was asked; bob said &lt;from agent="bob">no&lt;/from>.';

/** Requests for a summary get one; `otherwise` answers the rest. */
export function answerOrSummarise(
  { provider }: TestServer,
  otherwise: (request: { said: string }) => Script = answerShortly,
  summary: Script = { steps: text(SUMMARY) },
): void {
  provider.script((request) => (isSummary(request.body) ? summary : otherwise(request)));
}

function answerShortly({ said }: { said: string }): Script {
  return { steps: text(`Re: ${said.slice(0, 20)}`) };
}

export function isSummary(body: Record<string, unknown>): boolean {
  return JSON.stringify(body.messages).includes('You write the summary');
}

/** So many questions and answers, the first by a guest. */
export async function talk(server: TestServer, count: number, agentId = 'ada'): Promise<string> {
  const session = await server.open(agentId);
  for (let index = 0; index < count; index++)
    await server.say(session, { content: `Question ${index}`, ...(index === 0 && { guest: 'bob' }) });
  return session;
}
