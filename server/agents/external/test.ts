import { say } from '../../../contract/texts.ts';
import { guardedFetch } from '../../tools/guarded-fetch.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';
import type { AgentDeps, Finding } from '../agent.ts';
import type { ExternalSettings } from './settings.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 64_000;

/** Whether there is a server. It is sent no input: that would begin work. */
export async function testExternal({ inputUrl }: ExternalSettings, { allowedHosts }: AgentDeps): Promise<Finding[]> {
  const { host } = new URL(inputUrl);
  const request = { method: 'HEAD', allowHosts: allowedHosts(), maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS };
  try {
    const { status } = await guardedFetch(inputUrl, request);
    return [judge(host, status)];
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    return [{ state: 'problem', text: say('connection.unreachable', { reason: error.message }) }];
  }
}

/** A server that only takes POST answers HEAD with a refusal, which is answer enough. */
function judge(host: string, status: number): Finding {
  if (status >= 500) return { state: 'problem', text: say('connection.failed', { host, status }) };
  return { state: 'ok', text: say('connection.reached', { host }) };
}
