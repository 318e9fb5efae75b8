// The least that can pass on what a program or a remote agent says: it reads the same bytes, parses each record, and writes
// it to whoever asked.
import { spawn } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';

const [, , kind, target] = process.argv;
/** A record that is longer repeats the whole answer. */
const LONGEST_PIECE = 1000;

const server = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
  if (request.url === '/callback') return receive(body, response);
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const tell = (record) => record.length < LONGEST_PIECE && response.write(`data: ${record}\n\n`);
  await { program: readProgram, a2a: readStream, external: readCallbacks }[kind](body.text, tell);
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

let child;
let onRecord = () => {};

function readProgram(text, tell) {
  child ??= startProgram();
  child.stdin.write(`${JSON.stringify({ bare: text })}\n`);
  return new Promise((resolve) => {
    onRecord = (line) => (JSON.parse(line).bare === 'end' ? resolve() : tell(line));
  });
}

function startProgram() {
  const program = spawn(target, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  let rest = '';
  program.stdout.setEncoding('utf8').on('data', (bytes) => {
    const lines = (rest + bytes).split('\n');
    rest = lines.pop();
    for (const line of lines) onRecord(line);
  });
  return program;
}

function readStream(text, tell) {
  const body = { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message: { parts: [{ text }] } } };
  return new Promise((resolve) => {
    const asked = httpRequest(target, { method: 'POST', headers: { 'Content-Type': 'application/json' } }, (answer) => {
      let rest = '';
      answer.setEncoding('utf8').on('data', (bytes) => {
        const events = (rest + bytes).split('\n\n');
        rest = events.pop();
        for (const event of events) {
          const data = event.slice('data: '.length);
          JSON.parse(data);
          tell(data);
        }
      });
      answer.on('end', resolve);
    });
    asked.end(JSON.stringify(body));
  });
}

function readCallbacks(text, tell) {
  const url = `http://127.0.0.1:${server.address().port}/callback`;
  const body = JSON.stringify({ event: 'message', text, callback: { url, token: 'bare' } });
  httpRequest(`${target}input`, { method: 'POST' }, (answer) => answer.resume()).end(body);
  return new Promise((resolve) => {
    onRecord = (piece) => (piece.end ? resolve() : tell(JSON.stringify(piece)));
  });
}

function receive(piece, response) {
  response.writeHead(202).end();
  onRecord(piece);
}
