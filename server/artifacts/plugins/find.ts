import type { ArtifactKind } from '../../../contract/artifacts.ts';
import type { ListItem } from '../../../contract/lists.ts';
import { nameKey } from '../../storage/name-key.ts';
import { type ToolContext, ToolFailure } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { type Described, single } from './artifact-tool.ts';

/** The list, note, view or file that an agent means by an id or a name. */
export async function findOne(
  artifacts: Artifacts,
  { owner }: Pick<ToolContext, 'owner'>,
  kind: ArtifactKind,
  wanted: string,
): Promise<Described> {
  return single(
    await artifacts.named(owner, kind, wanted),
    wanted,
    kind,
    `Use ${kind === 'file' ? 'artifact_files' : `${kind}s`}_list to see which there are.`,
  );
}

/** Items by their ids, or by their titles in a list that is named. */
export async function findItems(
  artifacts: Artifacts,
  context: Pick<ToolContext, 'owner'>,
  wanted: readonly string[],
  list: string | undefined,
): Promise<ListItem[]> {
  const byTitle = list === undefined ? undefined : await itemsByTitle(artifacts, context, list, wanted);
  const found: ListItem[] = [];
  for (const each of wanted) found.push(await findItem(artifacts, context, each, byTitle?.get(nameKey(each))));
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
  context: Pick<ToolContext, 'owner'>,
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
