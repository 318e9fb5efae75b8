// The baseline: a plain server that passes a scripted model's tokens on, one write per token. With --db it keeps the
// history in SQLite, two inserts a turn. Plain JavaScript, so that nothing has to be stripped or compiled first.
import http from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { model: { type: 'string' }, db: { type: 'string' }, port: { type: 'string', default: '0' } },
});
const upstream = new URL(`${values.model}/v1/chat/completions`);
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const history = values.db ? await openHistory(values.db) : undefined;

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/chat') read(request, (body) => chat(body, response));
  else if (pathname === '/conversations' && request.method === 'POST')
    sendJson(response, history?.open() ?? { id: 'c' });
  else if (pathname === '/conversations') sendJson(response, history.list(Number(searchParams.get('limit'))));
  else sendJson(response, { ok: true });
});
server.listen(Number(values.port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

function read(request, done) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (piece) => {
    text += piece;
  });
  request.on('end', () => done(JSON.parse(text)));
}

function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function chat({ conversation, text }, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  history?.say(conversation, 'user', text);
  const messages = history?.read(conversation) ?? [{ role: 'user', content: text }];
  const body = JSON.stringify({ model: 'scripted', stream: true, messages });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  http
    .request(upstream, { method: 'POST', agent, headers }, (answer) => pass(answer, conversation, response))
    .end(body);
}

function pass(answer, conversation, response) {
  let rest = '';
  let said = '';
  answer.setEncoding('utf8');
  answer.on('data', (piece) => {
    const events = (rest + piece).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const token = tokenOf(event);
      if (!token) continue;
      said += token;
      response.write(`data: ${JSON.stringify({ token })}\n\n`);
    }
  });
  answer.on('end', () => {
    history?.say(conversation, 'assistant', said);
    response.end('data: [DONE]\n\n');
  });
}

function tokenOf(event) {
  const data = event.slice(6);
  return data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta.content;
}

async function openHistory(file) {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, title TEXT, updated_at INTEGER)');
  db.exec('CREATE INDEX IF NOT EXISTS newest ON conversations(updated_at DESC)');
  db.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, conversation TEXT, role TEXT, content TEXT)');
  db.exec('CREATE INDEX IF NOT EXISTS of_conversation ON messages(conversation, id)');
  const insert = db.prepare('INSERT INTO messages (conversation, role, content) VALUES (?, ?, ?)');
  const select = db.prepare('SELECT role, content FROM messages WHERE conversation = ? ORDER BY id');
  const create = db.prepare('INSERT INTO conversations (id, title, updated_at) VALUES (?, ?, ?)');
  const newest = db.prepare('SELECT * FROM conversations ORDER BY updated_at DESC LIMIT ?');
  return {
    open() {
      const id = crypto.randomUUID();
      create.run(id, 'New', Date.now());
      return { id };
    },
    say: (conversation, role, content) => insert.run(conversation, role, content),
    read: (conversation) => select.all(conversation),
    list: (limit) => newest.all(limit),
  };
}
