import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Agent } from '../../../../contract/agents.ts';
import type { Judgement } from '../../../../contract/builder.ts';
import { useText } from '../../../i18n/text.ts';
import { useAgent } from '../../../live/use-agents.ts';
import { useLive } from '../../../live/use-live.ts';
import { tellPanel } from '../../../state/open-panels.ts';
import type { PanelProps } from '../../../state/panels.ts';
import { type OfSession, useSlots } from '../../../state/slots.tsx';
import { Button } from '../../../ui/button.tsx';
import { editByHand, forgetHandEdit, type HandEdit, lastProposal, type Proposal, useHandEdit } from './proposal.ts';
import { TeamPane } from './team-pane.tsx';
import { lastTeamProposal } from './team-proposal.ts';

interface Props extends OfSession {
  proposal: Proposal;
}

/** What the builder proposes, to be changed by hand, and made. */
export function DraftPane({ sessionId, panelId }: PanelProps) {
  const text = useText();
  const team = useLive(({ states }) => lastTeamProposal(states.get(sessionId)));
  const proposal = useLive(({ states }) => lastProposal(states.get(sessionId)));
  const name = (team ? team.team.name : proposal?.definition.displayName) ?? '';
  useEffect(() => {
    const title = text('panel.kind.builder');
    tellPanel(sessionId, panelId, { title: name ? `${title}: ${name}` : title, item: null, view: null });
  }, [sessionId, panelId, name, text]);
  if (team) return <TeamPane sessionId={sessionId} proposal={team} />;
  if (!proposal) return <p className="p-4 text-fg-2">{text('builder.hint')}</p>;
  return <Draft sessionId={sessionId} proposal={proposal} />;
}

function Draft({ sessionId, proposal }: Props) {
  const text = useText();
  const { AgentDraftEditor } = useSlots();
  const { own, older } = useOwnVersion(sessionId, proposal);
  const written = own?.text ?? JSON.stringify(proposal.definition, null, 2);
  const made = useAgent(agentIdIn(written));
  return (
    <section
      data-touch=""
      aria-label={text('builder.draft')}
      className="min-w-0 flex-1 overflow-y-auto px-4 pt-3 @min-[480px]:px-6"
    >
      {made && <Made agent={made} />}
      {older && (
        <Notice words={text('builder.newer')}>
          <Button onClick={() => editByHand(sessionId, proposal.callId, older.text)}>{text('builder.mine')}</Button>
        </Notice>
      )}
      {!own && proposal.judgement && <JudgementView judgement={proposal.judgement} />}
      {own && <p className="mb-2 text-xs text-fg-2">{text(own.isTold ? 'builder.told' : 'builder.tells')}</p>}
      <AgentDraftEditor
        label={text('builder.draft')}
        text={written}
        onChange={(written) => editByHand(sessionId, proposal.callId, written)}
        onDiscard={own && (() => forgetHandEdit(sessionId))}
      />
    </section>
  );
}

/** Null while what was written by hand is no JSON. */
function agentIdIn(written: string): string | null {
  try {
    return (JSON.parse(written) as { agentId?: string } | null)?.agentId ?? null;
  } catch {
    return null;
  }
}

/** A newer draft takes the place of what was changed by hand; what its builder never heard of stays at hand. */
function useOwnVersion(sessionId: string, { callId }: Proposal): { own?: HandEdit; older?: HandEdit } {
  const edit = useHandEdit(sessionId);
  if (!edit) return {};
  if (edit.callId === callId) return { own: edit };
  return edit.isTold ? {} : { older: edit };
}

function Made({ agent: { agentId, displayName } }: { agent: Agent }) {
  const text = useText();
  return (
    <Notice words={text('agents.made', { name: displayName })}>
      <Link to="/agents/$" params={{ _splat: agentId }} className="text-accent underline">
        {text('agents.details')}
      </Link>
    </Notice>
  );
}

function Notice({ words, children }: { words: string; children: ReactNode }) {
  return (
    <div role="status" className="mb-3 flex items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2">
      <p className="flex-1">{words}</p>
      {children}
    </div>
  );
}

/** What the draft would be allowed, and what the server has to say about it. */
function JudgementView({ judgement }: { judgement: Judgement }) {
  const text = useText();
  const free = judgement.mayUse.filter(isOwn);
  const asked = judgement.mayAskToUse.filter(isOwn);
  return (
    <div className="mb-3 space-y-1 text-xs text-fg-2">
      {judgement.issues.map((words) => (
        <p key={words} className="text-danger">
          {words}
        </p>
      ))}
      {free.length === 0 && <p>{text('agents.usesNone')}</p>}
      {free.length > 0 && <Names title={text('agents.uses', { count: free.length })} names={free} />}
      {asked.length > 0 && <Names title={text('agents.asksFirst', { count: asked.length })} names={asked} />}
      {judgement.notes.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </div>
  );
}

/** What every agent has says nothing of this one. */
function isOwn(name: string): boolean {
  return !name.startsWith('system_');
}

const FEW = 8;

/** Many are there to be looked at, and out of the way until then. */
function Names({ title, names }: { title: string; names: readonly string[] }) {
  const list = <span className="font-mono text-fg">{names.join(', ')}</span>;
  if (names.length <= FEW)
    return (
      <p>
        {title}: {list}
      </p>
    );
  return (
    <details>
      <summary className="cursor-pointer">{title}</summary>
      {list}
    </details>
  );
}
