import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { AgentDefinition, DiscoveredAgents, DiscoveredProgram } from '../../../contract/agents.ts';
import { useText } from '../../i18n/agent-words.ts';
import { builtInText, serverText } from '../../i18n/text.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { recall, remember } from '../../state/device-memory.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button } from '../../ui/button.tsx';
import { CommandWords } from '../../ui/command-words.tsx';
import { NotConfirmed, useConfirming } from '../../ui/confirmed-program.tsx';
import { Badge, Loaded, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

/** Programs are asked for their version each time, so what was found is good for a while. */
const FRESH_MS = 5 * 60_000;
const DISMISSED = 'parley.dismissedFinds';

/** What could be an agent here and is none yet, on the page for a new agent. */
export function FoundAgents() {
  const text = useText();
  const found = useFound(0);
  return (
    <Section
      title={text('agents.discovered')}
      hint={text('agents.discoveredHint')}
      actions={
        <Button disabled={found.isFetching} onClick={() => void found.refetch()}>
          {text(found.isFetching ? 'agents.searching' : 'agents.searchAgain')}
        </Button>
      }
    >
      <Loaded query={found}>
        {(data) =>
          data.agents.length === 0 ? (
            <p className="max-w-[72ch] text-fg-2">{text('agents.nothingDiscovered')}</p>
          ) : (
            <FoundList found={data} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** The same on the dashboard: only what the person has not dismissed, and nothing where there is nothing. */
export function NewlyFoundAgents() {
  const text = useText();
  const { data } = useFound(FRESH_MS);
  const [dismissed, setDismissed] = useState<readonly string[]>(() => recall(DISMISSED, []));
  const agents = data?.agents.filter(({ agentId }) => !dismissed.includes(agentId)) ?? [];
  if (!data || agents.length === 0) return null;
  const dismiss = () => {
    const all = [...new Set([...dismissed, ...agents.map(({ agentId }) => agentId)])];
    remember(DISMISSED, all);
    setDismissed(all);
  };
  return (
    <Section
      title={text('agents.discovered')}
      hint={text('agents.discoveredOffer')}
      actions={
        <Button look="plain" onClick={dismiss}>
          {text('dashboard.dismissSteps')}
        </Button>
      }
    >
      <FoundList found={{ ...data, agents }} />
    </Section>
  );
}

function useFound(staleTime: number) {
  const { client } = useLiveConnection();
  const version = useLive((state) => state.configurationVersion);
  return useQuery({ queryKey: ['discovered', version], queryFn: () => client.call('listDiscovered'), staleTime });
}

function FoundList({ found: { agents, programs } }: { found: DiscoveredAgents }) {
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {agents.map((agent) => (
        <Found key={agent.agentId} agent={agent} program={programs.find(({ agentId }) => agentId === agent.agentId)} />
      ))}
    </ul>
  );
}

interface FoundProps {
  agent: AgentDefinition;
  /** Absent for what is no program, such as a key. */
  program: DiscoveredProgram | undefined;
}

function Found({ agent, program }: FoundProps) {
  const text = useText();
  const { add, isBusy, dialog } = useAdding(agent, program);
  const name = agent.displayName ?? agent.agentId;
  return (
    <li className="flex flex-col rounded-lg border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Tile agent={agent} />
        <h3 className="min-w-0 flex-1 basis-28 truncate font-semibold">{name}</h3>
        {program?.signIn === 'yes' && <Badge>{text('agents.signedIn')}</Badge>}
        {program?.signIn === 'no' && <Badge tone="danger">{text('agents.signedOut')}</Badge>}
      </div>
      <p className="mt-1.5 text-fg-2">{builtInText(agent.description ?? '')}</p>
      {program && <ProgramLines program={program} />}
      <div className="mt-auto flex gap-2 pt-2.5">
        <Button disabled={isBusy} aria-label={text('agents.addFoundNamed', { name })} onClick={add}>
          <Plus size={14} aria-hidden="true" />
          {text('agents.addFound')}
        </Button>
        <Link
          to="/agents/new"
          search={{ discovered: agent.agentId }}
          aria-label={text('agents.changeFoundNamed', { name })}
          className="inline-flex h-7 items-center rounded-md px-2.5 text-fg-2 hover:bg-hover hover:text-fg touch:h-11"
        >
          {text('agents.changeFound')}
        </Link>
      </div>
      {dialog}
    </li>
  );
}

function Tile({ agent: { agentId, icon } }: { agent: AgentDefinition }) {
  if (!icon) return <AgentTile agentId={agentId} size={28} />;
  return (
    <span aria-hidden="true" className="grid size-7 flex-none place-items-center text-lg">
      {icon}
    </span>
  );
}

/** Which file would run, its version, and what is missing before it can answer. */
function ProgramLines({ program: { file, version, advice, adviceText } }: { program: DiscoveredProgram }) {
  return (
    <>
      <p className="mt-1 text-xs [overflow-wrap:anywhere] text-fg-3">
        <code>{revealHidden(file)}</code>
        {version !== null && ` · ${version}`}
      </p>
      {advice !== null && (
        <p className="mt-1 text-fg-2">
          <CommandWords words={serverText(advice, adviceText)} />
        </p>
      )}
    </>
  );
}

/** A program is confirmed as it would be started, even where the server would take it without. */
function useAdding(agent: AgentDefinition, program: DiscoveredProgram | undefined) {
  const text = useText();
  const { client } = useLiveConnection();
  const { run, dialog } = useConfirming();
  const [isBusy, setBusy] = useState(false);
  const add = () => {
    setBusy(true);
    run((confirm) => client.call('createAgent', { body: agent, query: { confirm } }), program?.commandLine)
      .then(({ displayName }) => notify({ title: text('agents.made', { name: displayName }) }))
      .catch((error: Error) => error instanceof NotConfirmed || notify({ title: error.message }))
      .finally(() => setBusy(false));
  };
  return { add, isBusy, dialog };
}
