import { createECDH } from 'node:crypto';
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';

export const TABLE = Object.entries(ROUTES) as [RouteName, Route][];
/** Without the web app itself, which holds no data and reads its own queries. */
export const DATA_ROUTES = TABLE.filter(([, route]) => !route.web);
export const MEMBER_ROUTES = TABLE.filter(([, { access }]) => access === 'member' || access === 'turn');

/** The path of a route with these ids in it. */
export function pathOf(route: Route, ids: Record<string, string> = {}): string {
  return route.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => ids[name] ?? 'nobody-knows');
}

/** A body that the route would take, and a query it needs. */
export const BODIES: Partial<Record<RouteName, unknown>> = {
  signIn: { code: 'x' },
  proveServer: { nonce: 'x'.repeat(32) },
  createAgent: { agentId: 'made/up', systemPrompt: 'x', chat: { provider: 'demo' } },
  updateAgent: { description: 'x' },
  createSession: {},
  resolveSession: { agentId: 'wisp/one' },
  importSession: { messages: [] },
  patchSession: { folder: 'x' },
  renameSession: { name: 'x' },
  chooseHead: { messageId: 'nobody-knows' },
  forkSession: {},
  compactSession: {},
  cancelSession: {},
  sendMessage: { content: 'x' },
  reviseMessage: { content: 'x' },
  createSessionTemplate: { name: 'x' },
  patchSessionTemplate: { name: 'x' },
  createTeam: { name: 'x', agents: ['wisp/one'] },
  patchTeam: { name: 'x' },
  makeTeam: { name: 'x', agents: [{ agentId: 'team/lead', chat: { provider: 'demo' } }] },
  judgeTeam: { name: 'x', agents: [{ agentId: 'team/lead' }] },
  tryTeam: { agents: [{ agentId: 'team/lead', chat: { provider: 'demo' } }] },
  createSchedule: { name: 'x', content: 'x', when: 'in 2 hours', agentId: 'wisp/one' },
  previewSchedule: { when: 'in 2 hours' },
  patchSchedule: { name: 'y' },
  addKnowledgeNote: { noteId: 'nobody-knows' },
  renameKnowledge: { name: 'x' },
  useKnowledge: { children: true },
  subscribeToPush: {
    endpoint: 'https://push.example.com/x',
    keys: { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'A'.repeat(22) },
    name: 'x',
  },
  createOutgoingWebhook: { name: 'x', url: 'https://example.com/x', events: ['turn.settled'] },
  patchOutgoingWebhook: { name: 'y' },
  createIncomingWebhook: { name: 'x', agentId: 'wisp/one' },
  patchIncomingWebhook: { name: 'y' },
  createMemory: { agentId: 'wisp/one', text: 'x' },
  patchMemory: { text: 'y' },
  importMemories: { format: 'parley-memories', version: 1, memories: [] },
  editQueued: { content: 'x' },
  retryTurn: {},
  previewMentions: { content: 'x' },
  runTool: { tool: 'todo_list' },
  answerAction: { decision: 'deny' },
  acceptMcpDefinitions: { hash: 'x' },
  pushPanels: { clientId: 'x', panels: [], selectedPanelId: null, isVisible: true },
  reportPanelCommand: { clientId: 'x', done: true, panelId: null },
  undoArtifactChanges: { versions: [2] },
  importArtifacts: { format: 'parley-artifacts', version: 1 },
  createList: { name: 'x' },
  patchList: { name: 'x' },
  addItems: { items: [{ title: 'x' }] },
  patchItem: { title: 'x' },
  moveItems: { items: ['nobody-knows'] },
  removeItems: { items: ['nobody-knows'] },
  createNote: { name: 'x' },
  patchNote: { name: 'x' },
  createView: { name: 'x', query: {} },
  patchView: { name: 'x' },
  createArtifactFile: { name: 'x', fileId: 'nobody-knows' },
  patchArtifactFile: { name: 'x' },
  runQuery: { query: {} },
  stream: { agent: 'wisp/one', content: 'x' },
  kill: { agent: 'wisp/one' },
};

export const QUERIES: Partial<Record<RouteName, string>> = {
  search: '?q=word',
  searchArtifacts: '?q=word',
  uploadFile: '?name=x',
  uploadKnowledge: '?name=x',
  searchKnowledge: '?q=word',
  explain: '?agent=wisp/one',
};
