// A remote agent that costs next to nothing itself: over A2A, and as one that calls back.
import { createServer } from 'node:http';
import { tokensFor } from './words.mjs';

const server = createServer(async (request, response) => {
  if (request.method === 'GET') return sendJson(response, card());
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
  if (request.url === '/input') {
    response.writeHead(202).end();
    if (body.event === 'message') await callBack(body);
    return;
  }
  if (body.method !== 'SendStreamingMessage')
    return sendJson(response, { jsonrpc: '2.0', id: body.id, error: { code: -32601, message: 'no' } });
  await stream(response, body);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

function card() {
  const url = `http://127.0.0.1:${server.address().port}/`;
  return {
    name: 'Bench',
    description: 'Answers as scripted.',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}

let count = 0;

async function stream(response, { id, params }) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const own = { taskId: `task-${++count}`, contextId: params.message.contextId || `context-${count}` };
  const tell = (result) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  tell({ task: { id: own.taskId, contextId: own.contextId, status: { state: 'TASK_STATE_WORKING' } } });
  let append = false;
  for await (const text of tokensFor(params.message.parts.map((part) => part.text ?? '').join('\n'))) {
    tell({ artifactUpdate: { ...own, artifact: { artifactId: 'answer', parts: [{ text }] }, append } });
    append = true;
  }
  tell({ statusUpdate: { ...own, status: { state: 'TASK_STATE_COMPLETED' } } });
  response.end();
}

async function callBack({ text: prompt, callback }) {
  const send = (piece) =>
    fetch(callback.url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${callback.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(piece),
    }).then((answer) => answer.arrayBuffer());
  for await (const text of tokensFor(prompt)) await send({ text });
  await send({ end: true });
}

function sendJson(response, body) {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}
