import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { newId } from '../../contract/ids.ts';
import type { PanelType } from '../../contract/panels.ts';
import { PANELS_KEY, recall, remember } from './device-memory.ts';
import {
  addPanel,
  changePanel,
  findPanel,
  MOST_PANELS,
  NO_PANELS,
  type OpenPanel,
  type PanelFacts,
  type PanelLayout,
  panelsOf,
  readLayout,
  removePanel,
  selectPanel,
} from './panel-layout.ts';

const KEPT_SESSIONS = 50;

type Layouts = Readonly<Record<string, PanelLayout>>;

/** Which panels are open beside each session. On this device only. */
const layouts = createStore<Layouts>()(() => ({}));
const selections = createStore<Readonly<Record<string, readonly string[]>>>()(() => ({}));
/** Where there is no room beside the conversation: whether the panels of a session lie over it. */
const raised = createStore<Readonly<Record<string, boolean>>>()(() => ({}));

const NOTHING: readonly string[] = [];

export function useLayout(sessionId: string): PanelLayout {
  return useStore(layouts, (all) => all[sessionId] ?? restored(sessionId));
}

export function layoutOf(sessionId: string): PanelLayout {
  return layouts.getState()[sessionId] ?? restored(sessionId);
}

/** Tells of every change of what is open and what is selected, in any session. */
export function onPanels(listener: () => void): () => void {
  const ends = [layouts.subscribe(listener), selections.subscribe(listener)];
  return () => {
    for (const end of ends) end();
  };
}

export function changeLayout(sessionId: string, change: (layout: PanelLayout) => PanelLayout): void {
  const before = layoutOf(sessionId);
  const after = change(before);
  if (after === before) return;
  layouts.setState({ [sessionId]: after });
  keep(sessionId, after);
}

interface OpenOptions {
  artifactId?: string | null;
  /** Where panels lie over the conversation, it stays in sight. */
  isQuiet?: boolean;
}

/** Opens a panel, or selects the one that shows the same already. Null: too many are open. */
export function openPanel(sessionId: string, type: PanelType, options: OpenOptions = {}): string | null {
  const { artifactId = null, isQuiet = false } = options;
  const layout = layoutOf(sessionId);
  const known = panelsOf(layout).find((panel) => panel.type === type && panel.artifactId === artifactId);
  if (!known && panelsOf(layout).length >= MOST_PANELS) return null;
  const panel: OpenPanel = known ?? { id: newId(), type, artifactId, facts: null };
  changeLayout(sessionId, (before) => (known ? selectPanel(before, known.id) : addPanel(before, panel)));
  if (!isQuiet) raisePanels(sessionId, true);
  return panel.id;
}

/** Another thing is shown in the same panel. */
export function showInPanel(sessionId: string, panelId: string, artifactId: string | null): void {
  selectItems(panelId, []);
  changeLayout(sessionId, (layout) => changePanel(layout, panelId, { artifactId, facts: null }));
}

export function closePanel(sessionId: string, panelId: string): void {
  selectItems(panelId, []);
  changeLayout(sessionId, (layout) => removePanel(layout, panelId));
  if (panelsOf(layoutOf(sessionId)).length === 0) raisePanels(sessionId, false);
}

/** Once for each session: a panel that the person closed stays closed. */
export function openOnce(sessionId: string, type: PanelType): void {
  if (layoutOf(sessionId).met.includes(type)) return;
  changeLayout(sessionId, (layout) => ({ ...layout, met: [...layout.met, type] }));
  openPanel(sessionId, type, { isQuiet: true });
}

/** What a panel shows now, for the conversation and for agents. */
export function tellPanel(sessionId: string, panelId: string, facts: PanelFacts): void {
  const known = findPanel(layoutOf(sessionId), panelId);
  if (!known || JSON.stringify(known.facts) === JSON.stringify(facts)) return;
  changeLayout(sessionId, (layout) => changePanel(layout, panelId, { facts }));
}

export function useSelection(panelId: string): readonly string[] {
  return useStore(selections, (all) => all[panelId] ?? NOTHING);
}

export function selectionOf(panelId: string): readonly string[] {
  return selections.getState()[panelId] ?? NOTHING;
}

export function selectItems(panelId: string, ids: readonly string[]): void {
  if (ids.length === 0 && selectionOf(panelId).length === 0) return;
  selections.setState({ [panelId]: ids });
}

export function useIsRaised(sessionId: string): boolean {
  return useStore(raised, (all) => all[sessionId] ?? false);
}

export function raisePanels(sessionId: string, isRaised: boolean): void {
  raised.setState({ [sessionId]: isRaised });
}

const restoredLayouts = new Map<string, PanelLayout>();

/** Read once for each session. */
function restored(sessionId: string): PanelLayout {
  const known = restoredLayouts.get(sessionId);
  if (known) return known;
  const { [sessionId]: kept } = recall<Readonly<Record<string, unknown>>>(PANELS_KEY, {});
  const layout = kept === undefined ? NO_PANELS : readLayout(kept);
  restoredLayouts.set(sessionId, layout);
  return layout;
}

/** Other tabs have written layouts of other sessions. */
function keep(sessionId: string, layout: PanelLayout): void {
  const { [sessionId]: _, ...others } = recall<Readonly<Record<string, unknown>>>(PANELS_KEY, {});
  const isKept = layout.columns.length > 0 || layout.met.length > 0;
  const kept = Object.entries(others).slice(1 - KEPT_SESSIONS);
  remember(PANELS_KEY, Object.fromEntries(isKept ? [...kept, [sessionId, layout]] : kept));
}
