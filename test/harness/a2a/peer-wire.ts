import type { A2aPeer } from './peer.ts';
import type { PeerMessage, PeerPart, PeerTask, PeerUpdate, State } from './peer-task.ts';

export type Version = '1.0' | '0.3';
type Method = 'send' | 'stream' | 'get' | 'cancel' | 'subscribe';

export interface Wire {
  methods: Record<string, Method>;
  task(task: PeerTask): unknown;
  /** The answer to a message that is not streamed. */
  result(task: PeerTask): unknown;
  update(task: PeerTask, update: PeerUpdate): unknown;
}

const V1: Wire = {
  methods: {
    SendMessage: 'send',
    SendStreamingMessage: 'stream',
    GetTask: 'get',
    CancelTask: 'cancel',
    SubscribeToTask: 'subscribe',
  },
  task: taskV1,
  result: (task) => ({ task: taskV1(task) }),
  update: (task, update) => {
    const ids = { taskId: task.id, contextId: task.contextId };
    if (update.type === 'task') return { task: taskV1(task) };
    if (update.type === 'status') {
      const { state, message, metadata } = update;
      return { statusUpdate: { ...ids, status: statusV1(task, state, message), ...(metadata && { metadata }) } };
    }
    const { artifactId, parts, append, lastChunk } = update;
    return { artifactUpdate: { ...ids, artifact: { artifactId, parts: parts.map(partV1) }, append, lastChunk } };
  },
};

function taskV1(task: PeerTask) {
  const artifacts = [...task.artifacts].map(([artifactId, parts]) => ({ artifactId, parts: parts.map(partV1) }));
  const history = task.history.map((message) => messageV1(task, message));
  return {
    id: task.id,
    contextId: task.contextId,
    status: statusV1(task, task.state, task.message),
    artifacts,
    history,
  };
}

function statusV1(task: PeerTask, state: State, message: PeerMessage | undefined) {
  const name = `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`;
  return message ? { state: name, message: messageV1(task, message) } : { state: name };
}

function messageV1({ id: taskId, contextId }: PeerTask, { text, ...rest }: PeerMessage) {
  return { ...rest, taskId, contextId, role: 'ROLE_AGENT', parts: [{ text }] };
}

function partV1(part: PeerPart) {
  if ('text' in part) return { text: part.text };
  if ('url' in part) return { url: part.url, filename: part.name };
  if ('raw' in part) return { raw: part.raw, filename: part.name, mediaType: 'text/plain' };
  return { data: part.data };
}

const V03: Wire = {
  methods: {
    'message/send': 'send',
    'message/stream': 'stream',
    'tasks/get': 'get',
    'tasks/cancel': 'cancel',
    'tasks/resubscribe': 'subscribe',
  },
  task: taskV03,
  result: taskV03,
  update: (task, update) => {
    const ids = { taskId: task.id, contextId: task.contextId };
    if (update.type === 'task') return taskV03(task);
    if (update.type === 'status') {
      const { state, message, metadata } = update;
      const status = statusV03(task, state, message);
      return { kind: 'status-update', ...ids, status, final: false, ...(metadata && { metadata }) };
    }
    const { artifactId, parts, append, lastChunk } = update;
    return { kind: 'artifact-update', ...ids, artifact: { artifactId, parts: parts.map(partV03) }, append, lastChunk };
  },
};

function taskV03(task: PeerTask) {
  const artifacts = [...task.artifacts].map(([artifactId, parts]) => ({ artifactId, parts: parts.map(partV03) }));
  const status = statusV03(task, task.state, task.message);
  const history = task.history.map((message) => messageV03(task, message));
  return { kind: 'task', id: task.id, contextId: task.contextId, status, artifacts, history };
}

function statusV03(task: PeerTask, state: State, message: PeerMessage | undefined) {
  return message ? { state, message: messageV03(task, message) } : { state };
}

function messageV03({ id: taskId, contextId }: PeerTask, { text, ...rest }: PeerMessage) {
  return { kind: 'message', ...rest, taskId, contextId, role: 'agent', parts: [{ kind: 'text', text }] };
}

function partV03(part: PeerPart) {
  if ('text' in part) return { kind: 'text', text: part.text };
  if ('url' in part) return { kind: 'file', file: { uri: part.url, name: part.name } };
  if ('raw' in part) return { kind: 'file', file: { bytes: part.raw, name: part.name, mimeType: 'text/plain' } };
  return { kind: 'data', data: part.data };
}

export const WIRE: Record<Version, Wire> = { '1.0': V1, '0.3': V03 };

export function cardOf({ url, endpoint, version, streams, description }: A2aPeer): object {
  const address = endpoint || url;
  const common = {
    name: 'Remote',
    description,
    version: '1',
    capabilities: { streaming: streams },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'all', name: 'All', description: 'Everything', tags: [] }],
  };
  if (version === '0.3') return { ...common, protocolVersion: '0.3.0', url: address, preferredTransport: 'JSONRPC' };
  return { ...common, supportedInterfaces: [{ url: address, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] };
}
