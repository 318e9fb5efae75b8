// The baseline: a plain server that passes a scripted model's tokens on, one write per token. With --db it keeps the
// history in SQLite, two inserts a turn. With --tools it does what the model asks for and asks it again: a tool that
// writes one row, one that tells the time, and another agent that answers in a conversation of its own. Plain JavaScript,
// so that nothing has to be stripped or compiled first.
import http from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    db: { type: 'string' },
    tools: { type: 'boolean' },
    port: { type: 'string', default: '0' },
  },
});
const upstream = new URL(`${values.model}/v1/chat/completions`);
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const history = values.db ? await openHistory(values.db) : undefined;
const offered = values.tools ? { tools: [describeTodo(), describeTime(), describeMessage()] } : {};

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
  speak(conversation, messages, {
    offered,
    onToken: (token) => response.write(`data: ${JSON.stringify({ token })}\n\n`),
    onEnd: () => response.end('data: [DONE]\n\n'),
  });
}

/** Asks the model, and again as long as it wants something done first. */
function speak(conversation, messages, listener) {
  askModel({ model: 'scripted', stream: true, ...listener.offered, messages }, listener.onToken, (said, calls) => {
    if (calls.length > 0) return void carryOutAll(conversation, calls, listener);
    history?.say(conversation, 'assistant', said);
    listener.onEnd(said);
  });
}

function askModel(request, onToken, onEnd) {
  const body = JSON.stringify(request);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  http.request(upstream, { method: 'POST', agent, headers }, (answer) => pass(answer, onToken, onEnd)).end(body);
}

function pass(answer, onToken, onEnd) {
  let rest = '';
  let said = '';
  const calls = [];
  answer.setEncoding('utf8');
  answer.on('data', (piece) => {
    const events = (rest + piece).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const delta = deltaOf(event);
      if (delta?.tool_calls) for (const call of delta.tool_calls) gather(calls, call);
      const token = delta?.content;
      if (!token) continue;
      said += token;
      onToken(token);
    }
  });
  answer.on('end', () => onEnd(said, calls));
}

function deltaOf(event) {
  const data = event.slice(6);
  return data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta;
}

/** A call may come in pieces. */
function gather(calls, { index, id, function: { name, arguments: piece } }) {
  calls[index] ??= { id, type: 'function', function: { name, arguments: '' } };
  calls[index].function.arguments += piece;
}

async function carryOutAll(conversation, calls, listener) {
  history.say(conversation, 'calls', JSON.stringify(calls));
  await Promise.all(calls.map((call) => carryOut(conversation, call)));
  speak(conversation, history.read(conversation), listener);
}

async function carryOut(conversation, { id, function: { name, arguments: text } }) {
  const input = JSON.parse(text);
  const content = name === 'agents_message' ? await askAnother(conversation, input) : TOOLS[name](input);
  history.say(conversation, 'result', JSON.stringify({ tool_call_id: id, content }));
}

const TOOLS = {
  todo_add: ({ title }) => history.addTodo(title),
  system_time: () => new Date().toISOString(),
};

/** Another agent answers in a conversation of its own: the one it has with this one, or a new one. */
function askAnother(conversation, { content, session }) {
  const other = session === 'create' ? history.open().id : `${conversation}/other`;
  history.say(other, 'user', content);
  return new Promise((resolve) => {
    speak(other, history.read(other), { offered: {}, onToken: () => {}, onEnd: resolve });
  });
}

function describeTodo() {
  const properties = { title: { type: 'string' }, notes: { type: 'string' }, due: { type: 'string' } };
  const parameters = { type: 'object', properties, required: ['title'] };
  return { type: 'function', function: { name: 'todo_add', description: 'Add a to-do.', parameters } };
}

function describeTime() {
  const parameters = { type: 'object', properties: {} };
  return { type: 'function', function: { name: 'system_time', description: 'Get the current time.', parameters } };
}

function describeMessage() {
  const session = { type: 'string', enum: ['latest-or-create', 'create'] };
  const properties = { agentId: { type: 'string' }, content: { type: 'string' }, session };
  const parameters = { type: 'object', properties, required: ['agentId', 'content'] };
  return { type: 'function', function: { name: 'agents_message', description: 'Ask another agent.', parameters } };
}

async function openHistory(file) {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, title TEXT, updated_at INTEGER)');
  db.exec('CREATE INDEX IF NOT EXISTS newest ON conversations(updated_at DESC)');
  db.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, conversation TEXT, role TEXT, content TEXT)');
  db.exec('CREATE INDEX IF NOT EXISTS of_conversation ON messages(conversation, id)');
  db.exec('CREATE TABLE IF NOT EXISTS todos (id INTEGER PRIMARY KEY, title TEXT, created_at INTEGER)');
  const insert = db.prepare('INSERT INTO messages (conversation, role, content) VALUES (?, ?, ?)');
  const select = db.prepare('SELECT role, content FROM messages WHERE conversation = ? ORDER BY id');
  const create = db.prepare('INSERT INTO conversations (id, title, updated_at) VALUES (?, ?, ?)');
  const addTodo = db.prepare('INSERT INTO todos (title, created_at) VALUES (?, ?)');
  const newest = db.prepare('SELECT * FROM conversations ORDER BY updated_at DESC LIMIT ?');
  return {
    open() {
      const id = crypto.randomUUID();
      create.run(id, 'New', Date.now());
      return { id };
    },
    say: (conversation, role, content) => insert.run(conversation, role, content),
    read: (conversation) => select.all(conversation).map(toWire),
    addTodo: (title) => `Added ${addTodo.run(title, Date.now()).lastInsertRowid}: ${title}`,
    list: (limit) => newest.all(limit),
  };
}

function toWire(row) {
  if (row.role === 'calls') return { role: 'assistant', content: null, tool_calls: JSON.parse(row.content) };
  if (row.role === 'result') return { role: 'tool', ...JSON.parse(row.content) };
  return row;
}
