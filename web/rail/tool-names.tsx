import { useQuery } from '@tanstack/react-query';
import { useText } from '../i18n/text.ts';
import { useLive, useLiveConnection } from '../live/use-live.ts';
import { Section } from './section.tsx';

/** What the agent may use, by name. */
export function ToolNames({ agentId }: { agentId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const { data } = useQuery({
    queryKey: ['tools', agentId, version],
    queryFn: () => client.listTools({ agent: agentId }),
  });
  const names = (data?.tools ?? []).map(({ name }) => name);
  return (
    <Section title={text('rail.tools')} count={names.length}>
      <p className="px-2 font-mono text-xs break-words text-fg-2">{names.join(', ') || text('rail.noTools')}</p>
    </Section>
  );
}
