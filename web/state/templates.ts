import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { SessionTemplate, SessionTemplateList } from '../../contract/templates.ts';
import type { Live } from '../live/live.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import type { Navigate } from './new-session.ts';
import { closeOverlays } from './panes.ts';

const NONE: readonly SessionTemplate[] = [];

export function useTemplates(): readonly SessionTemplate[] {
  return useTemplateList().data?.templates ?? NONE;
}

/** By name, with whether they could be read. */
export function useTemplateList() {
  return useQuery({ ...useWanted(), placeholderData: (before: SessionTemplateList | undefined) => before });
}

/** Reads the list before a menu opens: an entry is easily missed in a menu that grows under the pointer. */
export function useReadAhead(): () => void {
  const queries = useQueryClient();
  const wanted = useWanted();
  return () => void queries.prefetchQuery(wanted);
}

/** Read again when templates change, here or elsewhere, and whenever a list of them is shown. */
function useWanted() {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.templatesVersion);
  return { queryKey: ['session-templates', version], queryFn: () => client.call('listSessionTemplates'), staleTime: 0 };
}

interface Showing {
  /** A session that is to be kept as a template; null shows all templates. */
  readonly sessionId: string | null;
}

const showing = createStore<{ shown: Showing | null }>()(() => ({ shown: null }));

export function useShowing(): Showing | null {
  return useStore(showing, ({ shown }) => shown);
}

export function showTemplates(): void {
  show({ sessionId: null });
}

export function saveAsTemplate(sessionId: string): void {
  show({ sessionId });
}

/** On a narrow screen the list of sessions makes room first. */
function show(shown: Showing): void {
  closeOverlays();
  showing.setState({ shown });
}

export function hideTemplates(): void {
  showing.setState({ shown: null });
}

/** What it takes is loaded with the first of them: a page that only shows a menu has no need of the composer. */
export async function beginFromTemplate(live: Live, navigate: Navigate, template: SessionTemplate): Promise<void> {
  const { beginFrom } = await import('./begin-from.ts');
  await beginFrom(live, navigate, template);
}
