import type { Client, CreateMessageRequest, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { askForm } from '../ask-form.ts';
import type { CallsUnderWay } from './calls.ts';
import { ServerFailure } from './failure.ts';
import { plainText } from './plain-text.ts';
import { type Sample, toSampleRequest, toSampleResult } from './sampling.ts';

export interface ServerRequestDeps {
  readonly server: string;
  readonly calls: CallsUnderWay;
  /** Absent: the server may not ask for model answers. */
  readonly sample: Sample | undefined;
}

/** What a server may want while it works on a call: something from the person, or from a model. */
export function answerServerRequests(client: Client, deps: ServerRequestDeps): void {
  client.setRequestHandler('elicitation/create', ({ params }) => elicit(deps, params));
  const { sample } = deps;
  if (sample) client.setRequestHandler('sampling/createMessage', ({ params }) => answer(deps, sample, params));
}

async function elicit({ server, calls }: ServerRequestDeps, params: ElicitRequest['params']): Promise<ElicitResult> {
  const call = calls.asking();
  if (!call) return refusal('Elicitation is only possible during a tool call.');
  if (params.mode === 'url') return refusal('Elicitation by URL is not supported.');
  const message = `The MCP server ${server} asks: ${plainText(params.message, 3800)}`;
  try {
    const answer = await askForm((question) => call.ask(question), message, params.requestedSchema);
    return answer.action === 'cancel' ? refusal(answer.reason) : answer;
  } catch {
    return refusal('The call has ended.');
  }
}

function refusal(reason: string): ElicitResult {
  return { action: 'cancel', _meta: { reason } };
}

async function answer({ server, calls }: ServerRequestDeps, sample: Sample, params: CreateMessageRequest['params']) {
  const call = calls.asking();
  if (!call) throw new ServerFailure('Sampling is only possible during a tool call.');
  const request = toSampleRequest(server, params, call.context, call.signal);
  return toSampleResult(await call.whileHelped(() => sample(request)));
}
