import { createHash } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionList } from '../../contract/actions.ts';
import type { ArtifactFile } from '../../contract/artifact-files.ts';
import type { FileInfo } from '../../contract/files.ts';
import type { KnowledgeSource } from '../../contract/knowledge.ts';
import type { List, ListItem } from '../../contract/lists.ts';
import type { Memory } from '../../contract/memory.ts';
import type { Note } from '../../contract/notes.ts';
import type { PushSubscription } from '../../contract/push.ts';
import type { Schedule } from '../../contract/schedules.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Share } from '../../contract/shares.ts';
import type { Team } from '../../contract/teams.ts';
import type { SessionTemplate } from '../../contract/templates.ts';
import type { Receipt } from '../../contract/turns.ts';
import type { View, ViewRows } from '../../contract/views.ts';
import type { CreatedIncomingWebhook, CreatedOutgoingWebhook, WebhookDelivery } from '../../contract/webhooks.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { bearer, rawRequest } from '../harness/raw-request.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { Knowing } from '../suites/knowing.ts';
import { BODIES, DATA_ROUTES, MEMBER_ROUTES, pathOf, QUERIES } from './routes.ts';

let provider: ScriptedProvider;
let parley: Parley;
let session: Session;
let receipt: Receipt;
let action: Action;
let file: FileInfo;
let share: Share;
let template: SessionTemplate;
let team: Team;
let list: List;
let item: ListItem;
let note: Note;
let view: View;
let kept: ArtifactFile;
let schedule: Schedule;
let source: KnowledgeSource;
let device: PushSubscription;
let outgoing: CreatedOutgoingWebhook;
let incoming: CreatedIncomingWebhook;
let delivery: WebhookDelivery;
let memory: Memory;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const asks = { apiExposed: true, toolAllowlist: ['todo_*'], approvals: { '*': 'ask' } };
  parley = await Parley.start({ config: { agents: [scriptedAgent(provider.url, 'wisp/one', asks)] } });
  session = await parley.createSession({ agentId: 'wisp/one' });
  file = await parley.ok<FileInfo>('POST', '/api/files?name=mine.txt', 'mine');
  receipt = await parley.say(session.id, { content: 'mine', files: [file.id] });
  share = await parley.ok<Share>('POST', `/api/sessions/${session.id}/shares`);
  template = await parley.ok<SessionTemplate>('POST', '/api/session-templates', { name: 'mine' });
  team = await parley.ok<Team>('POST', '/api/teams', { name: 'mine', agents: [session.agentId] });
  list = await parley.ok<List>('POST', '/api/lists', { id: 'list-1', name: 'mine' });
  const added = { items: [{ id: 'item-1', title: 'mine' }] };
  item = (await parley.ok<{ items: ListItem[] }>('POST', `/api/lists/${list.id}/items`, added)).items[0]!;
  note = await parley.ok<Note>('POST', '/api/notes', { id: 'note-1', name: 'mine', text: 'mine' });
  view = await parley.ok<View>('POST', '/api/views', { id: 'view-1', name: 'mine', query: {} });
  const upload = await parley.ok<FileInfo>('POST', '/api/files?name=kept.txt', 'kept');
  kept = await parley.ok<ArtifactFile>('POST', '/api/artifact-files', {
    id: 'kept-1',
    name: 'mine',
    fileId: upload.id,
  });
  device = await parley.ok<PushSubscription>('POST', '/api/push-subscriptions', BODIES.subscribeToPush);
  schedule = await parley.ok<Schedule>('POST', '/api/schedules', {
    name: 'mine',
    content: 'mine',
    when: 'in 2 hours',
    agentId: 'wisp/one',
  });
  const uploaded = await parley.ok<KnowledgeSource>('POST', '/api/knowledge-files?name=mine.md&agent=wisp/one', 'mine');
  source = await new Knowing(parley).settled(uploaded.id);
  outgoing = await parley.ok('POST', '/api/outgoing-webhooks', {
    name: 'mine',
    url: 'http://webhook.invalid/',
    events: ['schedule.ran'],
  });
  delivery = await parley.ok('POST', `/api/outgoing-webhooks/${outgoing.webhook.id}/tests`);
  memory = await parley.ok('POST', '/api/memories', { agentId: 'wisp/one', text: 'mine' });
  incoming = await parley.ok('POST', '/api/incoming-webhooks', { name: 'mine', agentId: 'wisp/one' });
  action = await askForApproval();
});

/** A call that waits for the person, in a session of its own. */
async function askForApproval(): Promise<Action> {
  const { id } = await parley.createSession({ agentId: 'wisp/one' });
  await parley.send(id, { content: '[[tool=todo_add args={"title":"x"}]]' });
  const { actions } = await until(
    () => parley.ok<ActionList>('GET', '/api/actions'),
    (list) => list.actions.length > 0,
  );
  return actions[0]!;
}

afterAll(async () => {
  await parley.close();
  await provider.close();
});

const database = () => new DatabaseSync(path.join(parley.home, 'parley.db'), { timeout: 5000 });

/** Everything that is stored, except the audit, which notes that an export was made. */
function fingerprint(): string {
  const db = database();
  const tables = [
    'sessions',
    'session_agents',
    'messages',
    'turns',
    'turn_requests',
    'partials',
    'events',
    'compactions',
    'sign_ins',
    'tool_calls',
    'actions',
    'grants',
    'delegations',
    'plugin_items',
    'files',
    'message_files',
    'shares',
    'session_templates',
    'teams',
    'artifacts',
    'list_items',
    'artifact_changes',
    'note_texts',
    'note_links',
    'artifact_files',
    'schedules',
    'schedule_runs',
    'knowledge_sources',
    'knowledge_agents',
    'knowledge_passages',
    'outgoing_webhooks',
    'webhook_deliveries',
    'incoming_webhooks',
    'webhook_calls',
    'memories',
    'memory_changes',
  ];
  const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all());
  // Whether the last notification arrived is told by the push service, at any time.
  rows.push(db.prepare('SELECT id, owner, endpoint, p256dh, auth, name FROM push_subscriptions ORDER BY 1').all());
  db.close();
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

/** The same session, message and turn, as if they were somebody else's. */
function plantForeign(): Record<string, string> {
  const db = database();
  for (const [table, key] of [
    ['sessions', 'id'],
    ['messages', 'session_id'],
    ['turns', 'session_id'],
    ['events', 'session_id'],
    ['tool_calls', 'session_id'],
    ['actions', 'session_id'],
    ['message_files', 'session_id'],
    ['files', 'id'],
    ['shares', 'session_id'],
    ['session_templates', 'id'],
    ['teams', 'id'],
    ['artifacts', 'id'],
    ['list_items', 'id'],
    ['artifact_changes', 'artifact_id'],
    ['artifact_files', 'artifact_id'],
    ['schedules', 'id'],
    ['knowledge_sources', 'id'],
    ['knowledge_agents', 'source_id'],
    ['knowledge_passages', 'source_id'],
    ['push_subscriptions', 'id'],
    ['outgoing_webhooks', 'id'],
    ['incoming_webhooks', 'id'],
    ['memories', 'id'],
  ] as const) {
    const whose =
      table === 'tool_calls' || table === 'actions' || key === 'id' || key === 'artifact_id' || key === 'source_id'
        ? [
            session.id,
            action.sessionId,
            file.id,
            template.id,
            team.id,
            list.id,
            item.id,
            note.id,
            view.id,
            kept.id,
            schedule.id,
            source.id,
            device.id,
            outgoing.webhook.id,
            incoming.webhook.id,
            memory.id,
          ]
        : [session.id];
    const columns = db
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map((row) => String(row.name));
    const values = columns.map((column) => foreignValue(table, column));
    db.exec(
      `INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM ${table} WHERE ${key} IN (${whose.map((id) => `'${id}'`)})`,
    );
  }
  db.close();
  return Object.fromEntries(Object.entries(ownIds()).map(([name, id]) => [name, name === 'version' ? id : `x${id}`]));
}

function ownIds() {
  return {
    sessionId: session.id,
    messageId: receipt.message.id,
    turnId: receipt.turn.id,
    actionId: action.id,
    callId: action.approval!.callId!,
    fileId: file.id,
    shareId: share.id,
    templateId: template.id,
    teamId: team.id,
    artifactId: list.id,
    artifactFileId: kept.id,
    listId: list.id,
    itemId: item.id,
    noteId: note.id,
    viewId: view.id,
    version: '1',
    scheduleId: schedule.id,
    sourceId: source.id,
    subscriptionId: device.id,
    outgoingId: outgoing.webhook.id,
    incomingId: incoming.webhook.id,
    deliveryId: delivery.id,
    memoryId: memory.id,
    token: share.url.split('/').at(-1)!,
  };
}

function foreignValue(table: string, column: string): string {
  if (column === 'owner') return `'somebody-else'`;
  if (column === 'rid' || column === 'position') return 'NULL';
  const isId = [
    'id',
    'session_id',
    'message_id',
    'turn_id',
    'parent_id',
    'answer_id',
    'head_id',
    'call_id',
    'action_id',
    'file_id',
    'artifact_id',
    'list_id',
    'item_id',
    'source_id',
    'token',
    'token_hash',
    'endpoint',
  ].includes(column);
  if (['messages', 'artifacts', 'knowledge_passages'].includes(table) && column === 'text')
    return `'secret of somebody else'`;
  return isId ? `'x' || ${column}` : column;
}

describe('objects belong to somebody', () => {
  it('what is another owner’s is not found, on every route by id', async () => {
    const ids = plantForeign();
    const before = fingerprint();
    const byId = MEMBER_ROUTES.filter(([, route]) =>
      /\{(session|message|turn|action|call|grant|file|share|template|team|schedule|source|subscription|outgoing|incoming|memory|command|artifact|artifactFile|list|note|view)Id\}/.test(
        route.path,
      ),
    );
    expect(byId.length).toBeGreaterThan(25);
    for (const [name, route] of byId) {
      // Only the token of its turn opens it.
      if (name === 'externalCallback') continue;
      const body = BODIES[name] === undefined ? undefined : JSON.stringify(BODIES[name]);
      const headers = { Host: new URL(parley.url).host, 'Content-Type': 'application/json', ...bearer(parley) };
      const answer = await rawRequest(parley, route.method, pathOf(route, ids), headers, body);
      expect([name, answer.status]).toEqual([name, 404]);
      expect(answer.body).not.toContain('secret of somebody else');
      // The same words as for something that is not there at all.
      const nothing = await rawRequest(parley, route.method, pathOf(route, { version: '1' }), headers, body);
      const words = (text: string) =>
        (JSON.parse(text) as { code: string; detail: string }).detail.replaceAll(/[\w-]*\d[\w-]*|nobody-knows/g, '…');
      expect([name, words(answer.body)]).toEqual([name, words(nothing.body)]);
    }
    expect(fingerprint()).toBe(before);
  });

  it('lists, searches, streams, bodies and headers show nothing of another owner', async () => {
    const foreign = `x${session.id}`;
    const routes = [
      '/api/sessions?limit=200',
      '/api/search?q=secret',
      `/api/search?q=session:${foreign}`,
      `/api/sessions?parent=${foreign}`,
      '/api/shares',
      '/api/session-templates',
      '/api/teams',
      '/api/artifacts?limit=500',
      '/api/artifact-search?q=mine',
      '/api/schedules',
      '/api/knowledge',
      '/api/knowledge?agent=wisp/one',
      '/api/knowledge-search?q=mine',
      '/api/push-subscriptions',
      '/api/outgoing-webhooks',
      '/api/incoming-webhooks',
      '/api/memories',
      '/api/memory-export',
    ];
    for (const route of routes) {
      const shown = JSON.stringify((await parley.request('GET', route)).body);
      for (const id of [
        foreign,
        `x${template.id}`,
        `x${team.id}`,
        `x${list.id}`,
        `x${item.id}`,
        `x${note.id}`,
        `x${kept.id}`,
        `x${schedule.id}`,
        `x${source.id}`,
        `x${device.id}`,
        `x${outgoing.webhook.id}`,
        `x${incoming.webhook.id}`,
        `x${memory.id}`,
      ])
        expect(shown).not.toContain(id);
    }
    const frames: string[] = [];
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 700);
    const follow = parley.events(`/api/events?after=0&sessions=${foreign},${session.id}`, {}, controller.signal);
    for await (const frame of follow) frames.push(JSON.stringify(frame.data));
    expect(frames.length).toBeGreaterThan(0);
    expect(frames.join('')).not.toContain('somebody');
    expect(frames.join('')).not.toContain(foreign);
    const resolve = await parley.request('POST', '/api/session-resolutions', { session: foreign, agentId: 'wisp/one' });
    expect(resolve.status).toBe(404);
    const head = { messageId: `x${receipt.message.id}` };
    expect((await parley.request('PUT', `/api/sessions/${session.id}/head`, head)).status).toBe(404);
    expect((await parley.request('POST', `/api/sessions/${session.id}/forks`, head)).status).toBe(404);
    const attached = { content: 'x', files: [`x${file.id}`] };
    expect((await parley.request('POST', `/api/sessions/${session.id}/messages`, attached)).status).toBe(422);
    const toForeign = { items: [item.id], toListId: `x${list.id}` };
    expect((await parley.request('POST', `/api/lists/${list.id}/moves`, toForeign)).status).toBe(404);
    const fromForeign = { items: [`x${item.id}`] };
    expect((await parley.request('POST', `/api/lists/${list.id}/removals`, fromForeign)).status).toBe(404);
    const query = { lists: [`x${list.id}`], notes: true };
    const rows = await parley.ok<ViewRows>('POST', '/api/view-queries', { query });
    expect(JSON.stringify(rows)).not.toContain(`x${list.id}`);
    expect(rows.rows).toHaveLength(1);
  });

  it('GET changes nothing, on every route', async () => {
    const ids = { ...ownIds(), agentId: 'wisp/one', model: 'wisp/one', id: `resp_${receipt.turn.id}` };
    for (const [name, route] of DATA_ROUTES.filter(([, each]) => each.method === 'GET')) {
      // One needs a remote agent, the other is many operations.
      if (name === 'getAgentCard' || name === 'a2aRead') continue;
      const before = fingerprint();
      const headers = { Host: new URL(parley.url).host, ...bearer(parley) };
      const answer = await rawRequest(parley, 'GET', pathOf(route, ids) + (QUERIES[name] ?? ''), headers);
      expect([name, answer.status]).toEqual([name, 200]);
      expect([name, fingerprint()]).toEqual([name, before]);
    }
  });
});

describe('what is sent', () => {
  it('an unknown key is an error, in every body and every query', async () => {
    const ids = { ...ownIds(), agentId: 'wisp/one' };
    const before = fingerprint();
    for (const [name, route] of DATA_ROUTES.filter(([, each]) => !each.lenient && !each.protocol)) {
      const headers = { Host: new URL(parley.url).host, 'Content-Type': 'application/json', ...bearer(parley) };
      const good = BODIES[name];
      if (good !== undefined && name !== 'importSession') {
        const bad = JSON.stringify({ ...(good as object), surprise: 1 });
        const answer = await rawRequest(parley, route.method, pathOf(route, ids), headers, bad);
        expect([name, answer.status]).toEqual([name, 400]);
        expect(answer.body).toContain('surprise');
      }
      const query = `${QUERIES[name] ?? '?'}&surprise=1`.replace('?&', '?');
      const answer = await rawRequest(
        parley,
        route.method,
        pathOf(route, ids) + query,
        headers,
        good ? JSON.stringify(good) : undefined,
      );
      expect([name, answer.status]).toEqual([name, 400]);
    }
    expect(fingerprint()).toBe(before);
  });

  it('keys that reach a prototype are refused everywhere, and nobody’s prototype changes', async () => {
    const bodies = [
      '{"attributes":{"__proto__":{"polluted":1}}}',
      '{"attributes":{"constructor":{"prototype":{"polluted":1}}}}',
      '{"attributes":{"a":{"b":{"__proto__":{"polluted":1}}}}}',
      '{"__proto__":{"polluted":1}}',
      '{"attributes":{"\\u005f_proto__":{"polluted":1}}}',
    ];
    for (const body of bodies) {
      const answer = await parley.request('PATCH', `/api/sessions/${session.id}`, body);
      expect([body, answer.status]).toEqual([body, 400]);
    }
    const agent = '{"agentId":"a/b","chat":{"provider":"demo","__proto__":{"polluted":1}}}';
    expect((await parley.request('POST', '/api/agents', agent)).status).toBe(400);
    const { attributes } = await parley.session(session.id);
    expect((attributes as { polluted?: number }).polluted).toBeUndefined();
    expect((await parley.request('GET', '/health')).body).not.toHaveProperty('polluted');
  });
});
