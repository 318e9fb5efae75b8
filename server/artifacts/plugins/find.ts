import type { ArtifactHit, ArtifactKind, ArtifactList } from '../../../contract/artifacts.ts';
import type { ListItem } from '../../../contract/lists.ts';
import { nameKey } from '../../storage/name-key.ts';
import { oneLine } from '../../tools/plugins/listing.ts';
import { type ToolContext, ToolFailure } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { isKept, keptFrom, type Use } from '../kept-reach.ts';
import { type Described, single } from './artifact-tool.ts';

type Caller = Pick<ToolContext, 'owner' | 'denies'>;

/** The list, note, view or file that an agent means by an id or a name. */
export async function findOne(
  artifacts: Artifacts,
  context: Caller,
  kind: ArtifactKind,
  wanted: string,
  use: Use = 'read',
): Promise<Described> {
  const prefix = kind === 'file' ? 'artifact_files' : `${kind}s`;
  const hidden = keptFrom(context);
  const found = (await artifacts.named(context.owner, kind, wanted)).filter((each) => !isKept(hidden, each));
  const one = single(found, wanted, kind, `Use ${prefix}_list to see which there are.`);
  if (isKept(keptFrom(context, use), one))
    throw new ToolFailure(`The lists of your definition do not let you change "${oneLine(one.name)}".`, 'not_allowed');
  return one;
}

/** One page of what an agent may see. */
export async function listPage(
  artifacts: Artifacts,
  context: Caller,
  query: { kind: ArtifactKind; limit: number; before?: string | undefined },
): Promise<ArtifactList> {
  const hidden = keptFrom(context);
  const page = await artifacts.list(context.owner, query);
  return { ...page, artifacts: page.artifacts.filter((each) => !isKept(hidden, each)) };
}

const MOST_SEARCHED = 100;

/** What an agent may see of what is found. */
export async function searchKept(
  artifacts: Artifacts,
  context: Caller,
  { q, kind, limit }: { q: string; kind: ArtifactKind; limit: number },
): Promise<ArtifactHit[]> {
  const hidden = keptFrom(context);
  const most = hidden.length === 0 ? limit : MOST_SEARCHED;
  const { hits } = await artifacts.search(context.owner, { q, kind, limit: most });
  return hits.filter(({ artifact }) => !isKept(hidden, artifact)).slice(0, limit);
}

/** Items by their ids, or by their titles in a list that is named. */
export async function findItems(
  artifacts: Artifacts,
  context: Caller,
  wanted: readonly string[],
  list: string | undefined,
  use: Use = 'read',
): Promise<ListItem[]> {
  const byTitle = list === undefined ? undefined : await itemsByTitle(artifacts, context, list, wanted);
  const found: ListItem[] = [];
  for (const each of wanted) found.push(await findItem(artifacts, context, each, byTitle?.get(nameKey(each))));
  for (const listId of byList(found).keys()) await findOne(artifacts, context, 'list', listId, use);
  return found;
}

async function findItem(
  artifacts: Artifacts,
  { owner }: Pick<ToolContext, 'owner'>,
  wanted: string,
  titled: readonly ListItem[] = [],
): Promise<ListItem> {
  const item = await artifacts.lists.findItem(owner, wanted);
  if (item) return item;
  const [only, ...more] = titled;
  if (only && more.length === 0) return only;
  if (only) {
    const ids = titled.map(({ id }) => `[${id}]`).join(', ');
    throw new ToolFailure(`Several items are called "${wanted}". Use an ID: ${ids}`, 'ambiguous');
  }
  throw new ToolFailure(`There is no item "${wanted}". Use lists_show to see the items of a list.`, 'not_found');
}

async function itemsByTitle(
  artifacts: Artifacts,
  context: Caller,
  list: string,
  wanted: readonly string[],
): Promise<Map<string, ListItem[]>> {
  const keys = new Set(wanted.map(nameKey));
  const { id } = await findOne(artifacts, context, 'list', list);
  const found = new Map<string, ListItem[]>();
  for await (const item of artifacts.lists.all(context.owner, id)) {
    const key = nameKey(item.title);
    if (keys.has(key)) found.set(key, [...(found.get(key) ?? []), item]);
  }
  return found;
}

/** Lists are asked one by one: items of several can be in one call. */
export function byList(items: readonly ListItem[]): Map<string, ListItem[]> {
  return Map.groupBy(items, ({ listId }) => listId) as Map<string, ListItem[]>;
}
