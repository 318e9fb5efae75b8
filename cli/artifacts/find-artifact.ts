import type { ParleyClient } from '../../client/parley-client.ts';
import type { ArtifactKind, ArtifactSummary } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type { ListItem } from '../../contract/lists.ts';
import { safeLine } from '../terminal-text.ts';

/** A list, note or view by its id or its name, however it is capitalised. Several of one name are told apart by their ids. */
export async function requireArtifact(
  client: ParleyClient,
  kind: ArtifactKind,
  wanted: string,
  { deleted = false } = {},
): Promise<ArtifactSummary> {
  const named: ArtifactSummary[] = [];
  for await (const artifact of allArtifacts(client, kind, deleted)) {
    if (artifact.id === wanted) return artifact;
    if (fold(artifact.name) === fold(wanted)) named.push(artifact);
  }
  if (named.length === 1) return named[0]!;
  if (named.length === 0) throw notFound(kind, wanted, deleted);
  const ids = named.map(({ id, name }) => `  ${id}  ${safeLine(name)}`).join('\n');
  throw new AppError('artifact_not_found', `Several ${kind}s are called "${wanted}". Use an ID:\n${ids}`);
}

function notFound(kind: ArtifactKind, wanted: string, deleted: boolean): AppError {
  const place = deleted ? ' in the trash' : '';
  const option = deleted ? ' --deleted' : '';
  return new AppError(
    'artifact_not_found',
    `No ${kind}${place} has the name or ID "${wanted}". Run: parley ${kind}s${option}`,
  );
}

export async function* allArtifacts(client: ParleyClient, kind: ArtifactKind, deleted = false) {
  for (let before: string | undefined; ; ) {
    const page = await client.call('listArtifacts', { query: { kind, limit: 500, deleted, before } });
    yield* page.artifacts;
    if (page.next === null) return;
    before = page.next;
  }
}

export async function readItems(client: ParleyClient, listId: string, done?: boolean): Promise<ListItem[]> {
  const items: ListItem[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.call('listItems', { listId, query: { limit: 1000, after, done } });
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
}

/** Items of a list by their ids or titles. */
export async function requireItems(
  client: ParleyClient,
  listId: string,
  wanted: readonly string[],
): Promise<ListItem[]> {
  const items = await readItems(client, listId);
  const byId = new Map(items.map((item) => [item.id, item]));
  return wanted.map((each) => byId.get(each) ?? oneOfTitle(items, each));
}

function oneOfTitle(items: readonly ListItem[], wanted: string): ListItem {
  const found = items.filter(({ title }) => fold(title) === fold(wanted));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new AppError('artifact_item_not_found', `The list has no item "${wanted}".`);
  const ids = found.map(({ id, title }) => `  ${id}  ${safeLine(title)}`).join('\n');
  throw new AppError('artifact_item_not_found', `Several items are called "${wanted}". Use an ID:\n${ids}`);
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}
