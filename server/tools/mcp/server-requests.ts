import type { Client, CreateMessageRequest, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { Question } from '../../../contract/actions.ts';
import type { Call } from './call.ts';
import type { CallsUnderWay } from './calls.ts';
import { toContent, toQuestion } from './elicitation.ts';
import { ServerFailure } from './failure.ts';
import { type Sample, toSampleRequest, toSampleResult } from './sampling.ts';

export interface ServerRequestDeps {
  readonly server: string;
  readonly calls: CallsUnderWay;
  /** Absent: the server may not ask for model answers. */
  readonly sample: Sample | undefined;
}

const MOST_ATTEMPTS = 3;

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
  const question = toQuestion(server, params);
  if (!question) return refusal('The elicitation is too large.');
  try {
    return await askUntilRight(call, params, question);
  } catch {
    return refusal('The call has ended.');
  }
}

type FormParams = Parameters<typeof toContent>[0];

async function askUntilRight(call: Call, params: FormParams, question: Question): Promise<ElicitResult> {
  let asked = question;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const given = await call.ask(asked);
    if (!given) return { action: 'decline' };
    const read = toContent(params, given);
    if ('content' in read) return { action: 'accept', content: read.content };
    asked = { ...question, question: `${question.question}\n\n${read.issues.join('; ')}`.slice(0, 4000) };
  }
  return refusal('No valid answer was given.');
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
