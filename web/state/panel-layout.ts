import { ID_PATTERN } from '../../contract/id-pattern.ts';
import type { PanelType } from '../../contract/panels.ts';

/** What a panel shows, as it is told to agents. */
export interface PanelFacts {
  readonly title: string;
  readonly item: { readonly type: string; readonly id: string; readonly name: string } | null;
  readonly view: { readonly name: string; readonly query: string } | null;
}

/** A panel that is open beside a session. */
export interface OpenPanel {
  readonly id: string;
  readonly type: PanelType;
  /** What is open in it; null: nothing, or nothing was chosen yet. */
  readonly artifactId: string | null;
  /** As it said when it was shown last, on this device; null until then. */
  readonly facts: PanelFacts | null;
}

/** Panels in the same place: one of them is shown, the others are tabs. */
export interface PanelGroup {
  readonly id: string;
  readonly panels: readonly OpenPanel[];
  readonly shownId: string;
  /** Share of the height, relative to the other groups of the column. */
  readonly size: number;
}

export interface PanelColumn {
  readonly id: string;
  readonly groups: readonly PanelGroup[];
  /** Share of the width, relative to the other columns. */
  readonly size: number;
}

/** Columns beside the conversation, each with groups one above the other. */
export interface PanelLayout {
  readonly columns: readonly PanelColumn[];
  readonly selectedId: string | null;
  /** How much of the width the panels have, beside the conversation. */
  readonly share: number;
  /** Kinds that have opened by themselves once; what the person closes stays closed. */
  readonly met: readonly PanelType[];
}

export type Direction = 'left' | 'right' | 'up' | 'down';
/** `center`: as a tab of the group; else beside the group, in a group of its own. */
export type Zone = Direction | 'center';

export const MOST_PANELS = 20;
export const SHARES = { least: 0.2, most: 0.8 } as const;
export const NO_PANELS: PanelLayout = { columns: [], selectedId: null, share: 0.5, met: [] };

export function groupsOf({ columns }: PanelLayout): readonly PanelGroup[] {
  return columns.flatMap(({ groups }) => groups);
}

export function panelsOf(layout: PanelLayout): readonly OpenPanel[] {
  return groupsOf(layout).flatMap(({ panels }) => panels);
}

export function findPanel(layout: PanelLayout, panelId: string | null): OpenPanel | undefined {
  return panelsOf(layout).find(({ id }) => id === panelId);
}

function groupOf(layout: PanelLayout, panelId: string | null): PanelGroup | undefined {
  return groupsOf(layout).find(({ panels }) => panels.some(({ id }) => id === panelId));
}

/** A new panel becomes a tab beside the selected one. */
export function addPanel(layout: PanelLayout, panel: OpenPanel): PanelLayout {
  const group = groupOf(layout, layout.selectedId) ?? groupsOf(layout)[0];
  if (group) return insert(layout, panel, group.id, 'center');
  const only: PanelGroup = { id: panel.id, panels: [panel], shownId: panel.id, size: 1 };
  return { ...layout, columns: [{ id: panel.id, groups: [only], size: 1 }], selectedId: panel.id };
}

/** The panel that was beside a closed one is shown and, where the closed one was selected, selected instead. */
export function removePanel(layout: PanelLayout, panelId: string): PanelLayout {
  const group = groupOf(layout, panelId);
  if (!group) return layout;
  const at = group.panels.findIndex(({ id }) => id === panelId);
  const left = group.panels.filter(({ id }) => id !== panelId);
  const next = left[Math.min(at, left.length - 1)]?.id;
  const shownId = group.shownId === panelId ? (next ?? '') : group.shownId;
  const removed = withGroup(layout, group.id, next === undefined ? null : { ...group, panels: left, shownId });
  if (layout.selectedId !== panelId) return removed;
  return { ...removed, selectedId: next ?? groupsOf(removed)[0]?.shownId ?? null };
}

export function selectPanel(layout: PanelLayout, panelId: string): PanelLayout {
  const group = groupOf(layout, panelId);
  if (!group || (layout.selectedId === panelId && group.shownId === panelId)) return layout;
  return { ...withGroup(layout, group.id, { ...group, shownId: panelId }), selectedId: panelId };
}

export function changePanel(layout: PanelLayout, panelId: string, change: Partial<OpenPanel>): PanelLayout {
  const group = groupOf(layout, panelId);
  if (!group) return layout;
  const panels = group.panels.map((panel) => (panel.id === panelId ? { ...panel, ...change } : panel));
  return withGroup(layout, group.id, { ...group, panels });
}

/** Moves a panel to a group, or to a new one beside it. */
export function placePanel(layout: PanelLayout, panelId: string, groupId: string, zone: Zone): PanelLayout {
  const panel = findPanel(layout, panelId);
  const from = groupOf(layout, panelId);
  const isOwn = from?.id === groupId;
  const target = groupsOf(layout).find(({ id }) => id === groupId);
  if (!panel || !target || (isOwn && (zone === 'center' || target.panels.length === 1))) return layout;
  const kept = isOwn && target.shownId === panelId ? target.panels.find(({ id }) => id !== panelId)!.id : null;
  const without = removePanel(kept === null ? layout : selectPanel(layout, kept), panelId);
  return insert(without, panel, groupId, zone);
}

/** Moves a panel one place in a direction: into the group there, or into a new one at the edge. */
export function stepPanel(layout: PanelLayout, panelId: string, direction: Direction): PanelLayout {
  const group = groupOf(layout, panelId);
  if (!group) return layout;
  const neighbour = neighbourOf(layout, group.id, direction);
  if (neighbour) return placePanel(layout, panelId, neighbour.id, 'center');
  return placePanel(layout, panelId, group.id, direction);
}

/** Whether a step would change anything. */
export function canStep(layout: PanelLayout, panelId: string, direction: Direction): boolean {
  return stepPanel(layout, panelId, direction) !== layout;
}

function neighbourOf({ columns }: PanelLayout, groupId: string, direction: Direction): PanelGroup | undefined {
  const at = columns.findIndex(({ groups }) => groups.some(({ id }) => id === groupId));
  const { groups } = columns[at]!;
  const row = groups.findIndex(({ id }) => id === groupId);
  switch (direction) {
    case 'left':
      return columns[at - 1]?.groups[0];
    case 'right':
      return columns[at + 1]?.groups[0];
    case 'up':
      return groups[row - 1];
    case 'down':
      return groups[row + 1];
    default:
      return direction satisfies never;
  }
}

/** How far the edge after a column or group is moved, as a share of both that it parts. */
export function resizeColumn(layout: PanelLayout, index: number, share: number): PanelLayout {
  return { ...layout, columns: parted(layout.columns, index, share) };
}

export function resizeGroup(layout: PanelLayout, columnId: string, index: number, share: number): PanelLayout {
  const resized = (column: PanelColumn) =>
    column.id === columnId ? { ...column, groups: parted(column.groups, index, share) } : column;
  return { ...layout, columns: layout.columns.map(resized) };
}

export function resizeAll(layout: PanelLayout, share: number): PanelLayout {
  return { ...layout, share: bounded(share) };
}

/** The share that the first of two neighbours has of both. */
export function shareOf(sized: readonly { size: number }[], index: number): number {
  const [one, other] = [sized[index]!.size, sized[index + 1]!.size];
  return one / (one + other);
}

function parted<T extends { size: number }>(sized: readonly T[], index: number, share: number): readonly T[] {
  const sum = sized[index]!.size + sized[index + 1]!.size;
  const first = sum * bounded(share);
  return sized.map((one, at) => {
    if (at === index) return { ...one, size: first };
    return at === index + 1 ? { ...one, size: sum - first } : one;
  });
}

function bounded(share: number): number {
  return Math.min(SHARES.most, Math.max(SHARES.least, share));
}

function insert(layout: PanelLayout, panel: OpenPanel, groupId: string, zone: Zone): PanelLayout {
  const columns = layout.columns.flatMap((column): PanelColumn[] => {
    const target = column.groups.find(({ id }) => id === groupId);
    if (!target) return [column];
    if (zone === 'left' || zone === 'right') return splitColumn(column, panel, zone);
    return [{ ...column, groups: column.groups.flatMap((group) => splitGroup(group, panel, groupId, zone)) }];
  });
  return { ...layout, columns, selectedId: panel.id };
}

function splitColumn(column: PanelColumn, panel: OpenPanel, zone: 'left' | 'right'): PanelColumn[] {
  const size = column.size / 2;
  const group: PanelGroup = { id: panel.id, panels: [panel], shownId: panel.id, size: 1 };
  const made: PanelColumn = { id: panel.id, groups: [group], size };
  const kept = { ...column, size };
  return zone === 'left' ? [made, kept] : [kept, made];
}

function splitGroup(group: PanelGroup, panel: OpenPanel, groupId: string, zone: 'center' | 'up' | 'down') {
  if (group.id !== groupId) return [group];
  if (zone === 'center') return [{ ...group, panels: [...group.panels, panel], shownId: panel.id }];
  const size = group.size / 2;
  const made: PanelGroup = { id: panel.id, panels: [panel], shownId: panel.id, size };
  const kept = { ...group, size };
  return zone === 'up' ? [made, kept] : [kept, made];
}

function withGroup(layout: PanelLayout, groupId: string, changed: PanelGroup | null): PanelLayout {
  const columns = layout.columns.flatMap((column) => {
    if (!column.groups.some(({ id }) => id === groupId)) return [column];
    const groups = column.groups.flatMap((group) => (group.id === groupId ? (changed ?? []) : group));
    return groups.length === 0 ? [] : [{ ...column, groups }];
  });
  return { ...layout, columns };
}

/** A layout that was kept on the device, without what cannot be used of it. */
export function readLayout(kept: unknown): PanelLayout {
  const { columns, selectedId, share, met } = fieldsOf(kept);
  const read = each(columns).flatMap(readColumn);
  const layout = { ...NO_PANELS, columns: read, share: bounded(sizeOf(share, NO_PANELS.share)) };
  const ids = panelsOf(layout).map(({ id }) => id);
  if (new Set(ids).size < ids.length || ids.length > MOST_PANELS) return NO_PANELS;
  const known = each(met).filter(isType);
  return { ...layout, met: known, selectedId: ids.find((id) => id === selectedId) ?? ids[0] ?? null };
}

function readColumn(kept: unknown): PanelColumn[] {
  const { id, groups, size } = fieldsOf(kept);
  const read = each(groups).flatMap(readGroup);
  return isId(id) && read.length > 0 ? [{ id, groups: read, size: sizeOf(size, 1) }] : [];
}

function readGroup(kept: unknown): PanelGroup[] {
  const { id, panels, shownId, size } = fieldsOf(kept);
  const read = each(panels).flatMap(readPanel);
  if (!isId(id) || read.length === 0) return [];
  const shown = read.find((panel) => panel.id === shownId) ?? read[0]!;
  return [{ id, panels: read, shownId: shown.id, size: sizeOf(size, 1) }];
}

function readPanel(kept: unknown): OpenPanel[] {
  const { id, type, artifactId, facts } = fieldsOf(kept);
  if (!isId(id) || !isType(type)) return [];
  return [{ id, type, artifactId: isId(artifactId) ? artifactId : null, facts: readFacts(facts) }];
}

/**
 * What a panel said before the page was loaded anew counts until it is shown again: only then is it read anew, and the
 * next message goes with it before that. A panel that shows nothing in particular is named in the language of the app.
 */
function readFacts(kept: unknown): PanelFacts | null {
  const { title, item, view } = fieldsOf(kept);
  const { type, id, name } = fieldsOf(item);
  const { name: viewName, query } = fieldsOf(view);
  const isItem = typeof type === 'string' && typeof id === 'string' && typeof name === 'string';
  const isView = typeof viewName === 'string' && typeof query === 'string';
  if (typeof title !== 'string' || (!isItem && !isView)) return null;
  return { title, item: isItem ? { type, id, name } : null, view: isView ? { name: viewName, query } : null };
}

/** Not the contract's schema: a browser does without the schemas. The compiler sees to it that none is missing. */
const TYPES: Readonly<Record<PanelType, true>> = {
  list: true,
  note: true,
  view: true,
  file: true,
  changes: true,
  builder: true,
  preview: true,
};

function isType(kept: unknown): kept is PanelType {
  return typeof kept === 'string' && Object.hasOwn(TYPES, kept);
}

function fieldsOf(kept: unknown): Readonly<Record<string, unknown>> {
  return typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {};
}

function each(kept: unknown): readonly unknown[] {
  return Array.isArray(kept) ? kept : [];
}

function sizeOf(kept: unknown, otherwise: number): number {
  return typeof kept === 'number' && kept > 0.001 && kept < 1000 ? kept : otherwise;
}

function isId(kept: unknown): kept is string {
  return typeof kept === 'string' && ID_PATTERN.test(kept);
}
