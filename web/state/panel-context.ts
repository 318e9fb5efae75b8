import { useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MessageContext } from '../../contract/context-line.ts';
import { text, useLanguage } from '../i18n/text.ts';
import { layoutOf, selectionOf, useLayout, useSelection } from './open-panels.ts';
import { findPanel, type OpenPanel } from './panel-layout.ts';

/** What was taken off the next message, by session: the same panel with the same selection does not come back by itself. */
const removed = createStore<Readonly<Record<string, string>>>()(() => ({}));

/** What the person looks at, which goes with the next message; null when no panel is open or the person took it off. */
export function contextOf(sessionId: string): MessageContext | null {
  const panel = selectedPanel(sessionId);
  if (!panel) return null;
  const context = toContext(panel, selectionOf(panel.id));
  return removed.getState()[sessionId] === keyOf(context) ? null : context;
}

/** The same, drawn anew when it changes. */
export function usePanelContext(sessionId: string): MessageContext | null {
  const { selectedId } = useLayout(sessionId);
  const panel = findPanel(useLayout(sessionId), selectedId);
  const selection = useSelection(selectedId ?? '');
  const taken = useStore(removed, (all) => all[sessionId]);
  const language = useLanguage();
  return useMemo(() => {
    // The name of a panel that has not said yet what it shows is in this language.
    if (!panel || language === '') return null;
    const context = toContext(panel, selection);
    return taken === keyOf(context) ? null : context;
  }, [panel, selection, taken, language]);
}

/** The next message goes without it. */
export function takeOffContext(sessionId: string): void {
  const context = contextOf(sessionId);
  if (context) removed.setState({ [sessionId]: keyOf(context) });
}

/** What a panel is called, whether or not it has been shown since the page was loaded. */
export function titleOf({ facts, type }: OpenPanel): string {
  return facts?.title || text(`panel.kind.${type}`);
}

function selectedPanel(sessionId: string): OpenPanel | undefined {
  const layout = layoutOf(sessionId);
  return findPanel(layout, layout.selectedId);
}

function toContext(panel: OpenPanel, selection: readonly string[]): MessageContext {
  const { item, view } = panel.facts ?? {};
  return {
    panelId: panel.id,
    panelType: panel.type,
    panelTitle: titleOf(panel),
    ...(item && { item }),
    ...(view && { view }),
    selection,
  };
}

function keyOf({ panelId, item, view, selection }: MessageContext): string {
  return JSON.stringify([panelId, item?.id, view?.name, selection]);
}
