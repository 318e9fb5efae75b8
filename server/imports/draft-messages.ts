import type { Part } from '../../contract/messages.ts';
import type { ExportedMessage, ExportedSession } from '../../contract/sessions.ts';
import { cut } from './cut.ts';
import type { DraftNode, DraftSummary } from './session-draft.ts';

/** A message: one record of the person, or the records of an agent that follow each other without a branch. */
interface Group {
  readonly nodes: DraftNode[];
  /** Null at a beginning. */
  readonly parent: Group | null;
  readonly index: number;
}

export function draftMessages(
  nodes: readonly DraftNode[],
  summaries: readonly DraftSummary[],
  agentId: string,
  head: DraftNode | null,
  messageBytes: number,
): Pick<ExportedSession, 'messages' | 'compactions'> {
  const groups = groupNodes(nodes);
  const path = pathTo(head ? groups.byNode.get(head) : undefined);
  const messages = groups.list.map((group) => toMessage(group, agentId, path.has(group), messageBytes));
  const compactions = archive(messages, summaries, agentId, (node) => pathGroup(groups.byNode.get(node), path));
  return { messages, compactions };
}

function groupNodes(nodes: readonly DraftNode[]): { list: Group[]; byNode: Map<DraftNode, Group | null> } {
  const list: Group[] = [];
  const byNode = new Map<DraftNode, Group | null>();
  for (const node of nodes) {
    const parent = (node.parent && byNode.get(node.parent)) ?? null;
    if (isEmpty(node)) byNode.set(node, continueEmpty(node, parent));
    else if (parent && continues(node, parent)) {
      parent.nodes.push(node);
      byNode.set(node, parent);
    } else {
      const group = { nodes: [node], parent, index: list.length };
      list.push(group);
      byNode.set(node, group);
    }
  }
  return { list, byNode };
}

function isEmpty({ parts }: DraftNode): boolean {
  return parts.length === 0;
}

/** A record without words still says that the answer before it was stopped. */
function continueEmpty({ role, interrupted }: DraftNode, parent: Group | null): Group | null {
  const last = parent?.nodes.at(-1);
  if (last && role === 'assistant' && last.role === 'assistant') last.interrupted ||= interrupted;
  return parent;
}

/** An answer goes on where its last record has no other continuation. */
function continues(node: DraftNode, parent: Group): boolean {
  const last = parent.nodes.at(-1)!;
  return node.role === 'assistant' && last.role === 'assistant' && last === node.parent && last.children === 1;
}

function pathTo(head: Group | null | undefined): Set<Group> {
  const path = new Set<Group>();
  for (let group = head ?? null; group; group = group.parent) path.add(group);
  return path;
}

function pathGroup(group: Group | null | undefined, path: ReadonlySet<Group>): number | null {
  return group && path.has(group) ? group.index : null;
}

function toMessage(group: Group, agentId: string, onPath: boolean, messageBytes: number): ExportedMessage {
  const { nodes, parent, index } = group;
  const [first] = nodes;
  const parts = withinLimit(
    nodes.flatMap((node) => node.parts),
    messageBytes,
  );
  return {
    id: idOf(index),
    seq: index + 1,
    parentId: parent && idOf(parent.index),
    role: first!.role,
    agent: first!.role === 'assistant' ? agentId : null,
    guest: false,
    status: nodes.some(({ interrupted }) => interrupted) ? 'interrupted' : 'complete',
    text: textOf(parts),
    parts,
    onPath,
    compactionId: null,
    createdAt: first!.at,
  };
}

function idOf(index: number): string {
  return `m${index}`;
}

/** The texts of a message together are no longer than a message may be. */
function withinLimit(parts: readonly Part[], messageBytes: number): Part[] {
  let left = messageBytes;
  return parts.flatMap((part): Part[] => {
    if (part.type !== 'text') return [part];
    const text = left > SEPARATOR.length ? cut(part.text, left) : '';
    left -= Buffer.byteLength(text) + SEPARATOR.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

const SEPARATOR = '\n\n';

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(SEPARATOR);
}

/** A summary stands for the messages of the branch being shown that no earlier summary stands for. */
function archive(
  messages: ExportedMessage[],
  summaries: readonly DraftSummary[],
  agentId: string,
  placeOf: (node: DraftNode) => number | null,
): ExportedSession['compactions'] {
  return summaries.flatMap(({ upTo, summary, at }, number) => {
    const place = placeOf(upTo);
    if (place === null) return [];
    const archived = messages.slice(0, place + 1).filter(({ onPath, compactionId }) => onPath && compactionId === null);
    const last = archived.at(-1);
    if (!last) return [];
    const id = `s${number}`;
    for (const message of archived) message.compactionId = id;
    const facts = { archivedCount: archived.length, uptoSeq: last.seq, lastMessageId: last.id };
    return [{ id, agentId, summary, ...facts, createdAt: at }];
  });
}
