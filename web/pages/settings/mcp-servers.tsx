import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { McpServerInfo } from '../../../contract/tools.ts';
import { useText } from '../../i18n/page-words.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Loaded, Section } from '../../ui/page.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { notify } from '../../ui/toast.tsx';

const WATCH_MS = 3000;

/** Where tools come from that are not Parley's own. They are usable only as they were when the person accepted them. */
export function McpServers() {
  const text = useText();
  const servers = useServers();
  return (
    <Section id="mcp" title={text('settings.mcp')} hint={text('settings.mcpHint')}>
      <Loaded query={servers}>
        {({ servers: list }) =>
          list.length === 0 ? (
            <p className="text-fg-2">{text('settings.noMcp')}</p>
          ) : (
            <ul className="space-y-3">
              {list.map((server) => (
                <Server key={server.name} server={server} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function useServers() {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  return useQuery({
    queryKey: ['mcp', version],
    queryFn: () => client.call('listMcpServers'),
    staleTime: 0,
    placeholderData: (before) => before,
    // Servers start by themselves and say nothing about it.
    refetchInterval: ({ state }) => (state.data?.servers.some(({ state }) => state === 'starting') ? WATCH_MS : false),
  });
}

const DOTS = { idle: 'idle', starting: 'connecting', ready: 'active', failed: 'error', stopped: 'paused' } as const;

function Server({ server }: { server: McpServerInfo }) {
  const text = useText();
  const { name, state, target, error, restarts, tools, definitionsHash } = server;
  const { busy, restart, accept } = useVerbs(server);
  const isChanged = tools.some((tool) => tool.state !== 'accepted');
  return (
    <li className="rounded-lg border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <StatusDot status={DOTS[state]} label={text(`settings.mcp.${state}`)} />
        <h3 className="font-semibold">{name}</h3>
        <span className="flex-1 text-xs text-fg-3">
          {text(`settings.mcp.${state}`)}
          {restarts > 0 && ` · ${text('settings.mcpRestarts', { count: restarts })}`}
        </span>
        {isChanged && definitionsHash !== null && (
          <Button look="primary" disabled={busy} onClick={() => accept(definitionsHash)}>
            {text('settings.mcpAccept')}
          </Button>
        )}
        <Button disabled={busy} onClick={restart} aria-label={text('settings.mcpRestartOf', { name })}>
          {text('settings.mcpRestart')}
        </Button>
      </div>
      <p className="mt-1 font-mono text-xs break-all text-fg-3">{target}</p>
      {error && <p className="mt-1 text-danger">{error}</p>}
      {isChanged && <p className="mt-2 text-fg-2">{text('settings.mcpChanged')}</p>}
      <McpTools tools={tools} />
    </li>
  );
}

function useVerbs({ name }: McpServerInfo) {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const change = (answer: Promise<unknown>) => {
    setBusy(true);
    void answer
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => {
        setBusy(false);
        void queries.invalidateQueries({ queryKey: ['mcp'] });
      });
  };
  return {
    busy,
    restart: () => change(client.call('restartMcpServer', { name })),
    accept: (hash: string) => change(client.call('acceptMcpDefinitions', { name, body: { hash } })),
  };
}

type Tools = McpServerInfo['tools'];

/** What waits to be accepted is open; what is settled folds away. */
function McpTools({ tools }: { tools: Tools }) {
  const text = useText();
  const fresh = tools.filter(({ state }) => state !== 'accepted');
  const accepted = tools.filter(({ state }) => state === 'accepted');
  return (
    <>
      {fresh.length > 0 && <ToolList tools={fresh} />}
      {accepted.length > 0 && (
        <details className="mt-2">
          <summary className="min-h-6 cursor-pointer text-fg-2">
            {text('settings.mcpAccepted', { count: accepted.length })}
          </summary>
          <ToolList tools={accepted} />
        </details>
      )}
    </>
  );
}

function ToolList({ tools }: { tools: Tools }) {
  return (
    <ul className="mt-2 space-y-2">
      {tools.map((tool) => (
        <Tool key={tool.name} tool={tool} />
      ))}
    </ul>
  );
}

/** A server wrote this: it is shown, hidden characters too, and never obeyed. */
function Tool({ tool: { name, state, description, before } }: { tool: Tools[number] }) {
  const text = useText();
  return (
    <li className="text-xs">
      <p className="flex items-center gap-2">
        <code className="font-mono text-fg">{name}</code>
        {state !== 'accepted' && <Badge>{text(`settings.mcpTool.${state}`)}</Badge>}
      </p>
      {before === null ? (
        <p className="whitespace-pre-wrap text-fg-2">{revealHidden(description)}</p>
      ) : (
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
          <dt className="text-fg-3">{text('settings.before')}</dt>
          <dd className="whitespace-pre-wrap text-fg-2">{revealHidden(before)}</dd>
          <dt className="text-fg-3">{text('settings.after')}</dt>
          <dd className="whitespace-pre-wrap">{revealHidden(description)}</dd>
        </dl>
      )}
    </li>
  );
}
