import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { ListItemRow } from '../storage/tables.ts';
import type { ArtifactEdit } from './changing.ts';
import {
  findItem,
  isRankTaken,
  lastRank,
  selectLastRankWithout,
  selectRankAfter,
  selectRankBefore,
  selectRanks,
  setRank,
  setRanksAside,
} from './item-store.ts';
import { LONGEST_RANK, ranksBetween } from './ranks.ts';

/** Where items go: before or after another one; neither: to the end. */
export interface Place {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Ranks for so many items in a place of a list. The items that are moved there are not in the way. */
export async function ranksAt(edit: ArtifactEdit, place: Place, count: number, moved: readonly string[] = []) {
  const ranks = await findRanks(edit, place, count, moved);
  if (ranks.every((rank) => rank.length <= LONGEST_RANK)) return ranks;
  await rankAnew(edit);
  return findRanks(edit, place, count, moved);
}

async function findRanks(edit: ArtifactEdit, place: Place, count: number, moved: readonly string[]): Promise<string[]> {
  const { changing, row: list } = edit;
  const { db, owner } = changing;
  const others = JSON.stringify(moved);
  const beside = place.before ?? place.after;
  if (beside === undefined) {
    const [last] = moved.length === 0 ? [] : await selectLastRankWithout(db, owner, list.id, others);
    return ranksBetween(moved.length === 0 ? await lastRank(db, owner, list.id) : (last?.rank ?? null), null, count);
  }
  const { rank } = await requireItem(edit, beside);
  const neighbour = place.before === undefined ? selectRankAfter : selectRankBefore;
  const next = (await neighbour(db, owner, list.id, rank, others))[0]?.rank ?? null;
  return place.before === undefined ? ranksBetween(rank, next, count) : ranksBetween(next, rank, count);
}

/** The rank that an item had, or the nearest one after it that is free. */
export async function freeRank(
  { changing, row: list }: Pick<ArtifactEdit, 'changing' | 'row'>,
  rank: string,
): Promise<string> {
  const { db, owner } = changing;
  if (!(await isRankTaken(db, owner, list.id, rank))) return rank;
  const next = (await selectRankAfter(db, owner, list.id, rank, '[]'))[0]?.rank ?? null;
  return ranksBetween(rank, next, 1)[0]!;
}

/** Items that were put between the same two again and again have long ranks: the list gets short ones. */
async function rankAnew(edit: ArtifactEdit): Promise<void> {
  const { changing, row: list } = edit;
  const { db, owner } = changing;
  const items = await selectRanks(db, owner, list.id);
  const ranks = ranksBetween(null, null, items.length);
  await setRanksAside(db, owner, list.id);
  for (const [index, { rid }] of items.entries()) await setRank(db, ranks[index], rid);
  edit.isTellable = false;
}

/** An item of the list that is not deleted. */
export async function requireItem({ changing, row: list }: ArtifactEdit, id: string): Promise<ListItemRow> {
  const item = await findItem(changing.db, changing.owner, id);
  if (item && item.list_id === list.id && item.deleted_at === null) return item;
  throw new AppError('artifact_item_not_found', say('artifact_item_not_found', { id }));
}
