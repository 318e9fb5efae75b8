import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import type { ToolInfo } from '../../../contract/tools.ts';
import { useText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { Section } from './section.tsx';

/** What the agent may use, by where it comes from; the names open. */
export function ToolNames({ agentId }: { agentId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  const { data } = useQuery({
    queryKey: ['tools', agentId, version],
    queryFn: () => client.listTools({ agent: agentId }),
  });
  const tools = data?.tools ?? [];
  return (
    <Section title={text('rail.tools')} count={tools.length}>
      {tools.length === 0 && <p className="px-2 text-xs text-fg-2">{text('rail.noTools')}</p>}
      {[...bySource(tools)].map(([source, those]) => (
        <Group key={source} source={source} tools={those} />
      ))}
    </Section>
  );
}

function Group({ source, tools }: { source: string; tools: readonly ToolInfo[] }) {
  return (
    <details className="group/tools">
      <summary className="flex min-h-6 cursor-pointer list-none items-center gap-1.5 rounded-md px-2 text-xs touch:min-h-11 hover:bg-hover">
        <ChevronRight size={12} aria-hidden="true" className="flex-none text-fg-3 group-open/tools:rotate-90" />
        <code className="min-w-0 flex-1 truncate font-mono">{source}</code>
        <span className="text-fg-3">{tools.length}</span>
      </summary>
      <ul className="pb-1 pl-6.5">
        {tools.map(({ name, description }) => (
          <li key={name} title={description} className="truncate font-mono text-2xs leading-5 text-fg-2">
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}

function bySource(tools: readonly ToolInfo[]): Map<string, ToolInfo[]> {
  return Map.groupBy(tools, ({ source }) => source.id);
}
