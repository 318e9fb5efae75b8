import type { StreamResponse, Task, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { Parley } from '../harness/parley.ts';

/** Every way in which the official client reaches an agent here. */
export const WAYS = ['JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3'];

export function baseOf(parley: Parley, agentId: string): string {
  return `${parley.url}/a2a/${encodeURIComponent(agentId)}/`;
}

/** `fetch` that shows the credential. */
export function fetchWithToken(parley: Parley): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    request.headers.set('Authorization', `Bearer ${parley.token}`);
    return fetch(request);
  };
}

/** The official client, over one binding and version: `JSONRPC 1.0`. */
export async function connectTo(parley: Parley, way: string, agentId: string): Promise<Client> {
  const [binding = '', version = ''] = way.split(' ');
  const options = { fetchImpl: fetchWithToken(parley), legacyCompat: { enabled: true } };
  const card = await new DefaultAgentCardResolver(options).resolve(baseOf(parley, agentId));
  const supportedInterfaces = card.supportedInterfaces.filter(
    ({ protocolBinding, protocolVersion }) => protocolBinding === binding && protocolVersion === version,
  );
  const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
  return new ClientFactory({ transports }).createFromAgentCard({ ...card, supportedInterfaces });
}

type Part = Task['artifacts'][number]['parts'][number];

let count = 0;

export function message(words: string, more: object = {}) {
  const part = { content: { $case: 'text' as const, value: words }, metadata: undefined, filename: '', mediaType: '' };
  const empty = { contextId: '', taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [] };
  return {
    tenant: '',
    message: { messageId: `m-${++count}`, role: 1, parts: [part] as Part[], ...empty, ...more },
    configuration: undefined,
    metadata: undefined,
  };
}

export async function gather(responses: AsyncGenerator<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const response of responses) all.push(response);
  return all;
}

export function said(responses: readonly StreamResponse[]): string {
  return responses
    .map(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? payload.value.artifact!.parts.map(textIn).join('') : '',
    )
    .join('');
}

export function textIn({ content }: Part): string {
  return content?.$case === 'text' ? content.value : '';
}

export function answerOf({ artifacts }: Task): string {
  return artifacts.flatMap(({ parts }) => parts.map(textIn)).join('');
}

export function lastState(responses: readonly StreamResponse[]): TaskState | undefined {
  const { payload } = responses.at(-1)!;
  return payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
}
