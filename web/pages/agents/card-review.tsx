import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AgentDetail, RemoteCard } from '../../../contract/agents.ts';
import { differences, pathName } from '../../features/agent-editor/json-value.ts';

import { useText } from '../../i18n/agent-words.ts';
import type { AgentTextKey } from '../../i18n/en.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { readCard } from './read-card.ts';

/** What a remote agent says of itself, read anew from its server, and the person's approval of it. */
export function CardReview({ detail }: { detail: AgentDetail }) {
  const text = useText();
  const { client } = useLiveConnection();
  const configuration = useLive((state) => state.configurationVersion);
  const { agentId, version } = detail;
  const card = useQuery({
    queryKey: ['card', agentId, version, configuration],
    queryFn: () => client.call('getAgentCard', { agentId }),
    retry: false,
    staleTime: 0,
  });
  return (
    <Section title={text('agents.card')}>
      <Loaded query={card}>{(remote) => <Review detail={detail} remote={remote} />}</Loaded>
    </Section>
  );
}

function Review({ detail, remote }: { detail: AgentDetail; remote: RemoteCard }) {
  const text = useText();
  const { approved, approvedCard } = remote;
  const isFirst = !detail.resolved.a2a?.cardHash;
  const state = approved ? 'agents.cardApproved' : isFirst ? 'agents.cardNew' : 'agents.cardChanged';
  return (
    <div className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-3 py-2.5">
        <p className="min-w-0 flex-1 basis-60">
          {text(!approved && !isFirst && approvedCard === null ? 'agents.cardChangedUnknown' : state)}
        </p>
        {!approved && <Approve detail={detail} hash={remote.hash} />}
      </div>
      {!approved && approvedCard !== null && <Changes before={approvedCard} now={remote.card} />}
      <Facts card={remote.card} />
      <details className="border-t border-line px-3 py-1.5">
        <summary className="min-h-6 w-fit cursor-pointer text-fg-2">{text('agents.cardJson')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard */}
        <pre tabIndex={0} className="max-h-96 overflow-auto py-1 font-mono text-xs">
          {revealHidden(JSON.stringify(remote.card, null, 2))}
        </pre>
      </details>
    </div>
  );
}

/** Approves the card as it is shown. If it changed meanwhile, the server refuses, and it is shown as it is now. */
function Approve({ detail: { agentId, displayName }, hash }: { detail: AgentDetail; hash: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const approve = () => {
    setBusy(true);
    client
      .call('approveAgentCard', { agentId, body: { hash } })
      .then(() => notify({ title: text('agents.cardThanks', { name: displayName }) }))
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => {
        setBusy(false);
        void queries.invalidateQueries({ queryKey: ['agent', agentId] });
        void queries.invalidateQueries({ queryKey: ['card', agentId] });
      });
  };
  return (
    <Button look="primary" disabled={isBusy} onClick={approve}>
      {text('agents.cardApprove')}
    </Button>
  );
}

const MOST_CHANGES = 200;

/** Field by field, what it said when it was approved and what it says now. */
function Changes({ before, now }: { before: RemoteCard['card']; now: RemoteCard['card'] }) {
  const text = useText();
  const changed = differences(before as object, now as object).slice(0, MOST_CHANGES);
  return (
    <div className="overflow-x-auto border-b border-line px-3 py-2">
      <table className="w-full min-w-80 table-fixed text-left text-xs">
        <thead className="text-fg-3">
          <tr>
            <th scope="col" className="w-1/4 py-1 font-medium">
              {text('agents.staleField')}
            </th>
            <th scope="col" className="py-1 pl-3 font-medium">
              {text('agents.cardBefore')}
            </th>
            <th scope="col" className="py-1 pl-3 font-medium">
              {text('agents.cardNow')}
            </th>
          </tr>
        </thead>
        <tbody>
          {changed.map(({ path, theirs, mine }) => (
            <tr key={pathName(path)} className="border-t border-line align-top">
              <th scope="row" className="py-1.5 font-mono font-medium break-all">
                {pathName(path)}
              </th>
              <Value value={theirs} tone="text-fg-2" />
              <Value value={mine} tone="font-medium" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ value, tone }: { value: unknown; tone: string }) {
  const text = useText();
  if (value === undefined) return <td className="py-1.5 pl-3 text-fg-3">{text('agents.notSet')}</td>;
  const words = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return <td className={`py-1.5 pl-3 break-words whitespace-pre-wrap ${tone}`}>{revealHidden(words)}</td>;
}

/** What a person judges it by. */
function Facts({ card }: { card: RemoteCard['card'] }) {
  const text = useText();
  const { name, description, provider, version, skills, endpoints, signIn } = readCard(card);
  return (
    <dl className="grid gap-x-4 gap-y-1.5 px-3 py-2.5 sm:grid-cols-[132px_minmax(0,1fr)]">
      <Fact name="agents.field.displayName">{name}</Fact>
      <Fact name="agents.field.description">{description}</Fact>
      <Fact name="agents.cardProvider">{provider}</Fact>
      <Fact name="agents.cardVersion">{version}</Fact>
      {skills.length > 0 && (
        <Row name="agents.cardSkills">
          <ul className="space-y-1">
            {skills.map((skill, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names of skills need not differ
              <li key={at}>
                <span className="font-medium">{revealHidden(skill.name)}</span>
                {skill.description && <span className="text-fg-2"> · {revealHidden(skill.description)}</span>}
              </li>
            ))}
          </ul>
        </Row>
      )}
      <Row name="agents.cardEndpoints">
        {endpoints.map(({ url, protocol }) => (
          <span key={url + protocol} className="block">
            <code className="font-mono text-xs break-all">{revealHidden(url)}</code>
            {protocol && <span className="text-fg-2"> {revealHidden(protocol)}</span>}
          </span>
        ))}
      </Row>
      <Row name="agents.cardAuth">
        {signIn.length === 0 ? text('agents.cardAuthNone') : revealHidden(signIn.join(', '))}
      </Row>
    </dl>
  );
}

function Fact({ name, children }: { name: AgentTextKey; children: string }) {
  return children === '' ? null : <Row name={name}>{revealHidden(children)}</Row>;
}

function Row({ name, children }: { name: AgentTextKey; children: ReactNode }) {
  const text = useText();
  return (
    <>
      <dt className="text-fg-2">{text(name)}</dt>
      <dd className="min-w-0 break-words max-sm:mb-1">{children}</dd>
    </>
  );
}
