import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionTemplate, SessionTemplateList } from '../../contract/templates.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';

const NONE: readonly SessionTemplate[] = [];

export function useTemplates(): readonly SessionTemplate[] {
  return useTemplateList().data?.templates ?? NONE;
}

/** By name, with whether they could be read. */
export function useTemplateList() {
  return useQuery({ ...useWanted(), placeholderData: (before: SessionTemplateList | undefined) => before });
}

/** For whoever is about to look: a menu that grows under the hand is chosen from wrongly. */
export function useReadAhead(): () => void {
  const queries = useQueryClient();
  const wanted = useWanted();
  return () => void queries.prefetchQuery(wanted);
}

/** Read anew when they change, here or anywhere else, and whenever somebody looks. */
function useWanted() {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.templatesVersion);
  return { queryKey: ['session-templates', version], queryFn: () => client.call('listSessionTemplates'), staleTime: 0 };
}
