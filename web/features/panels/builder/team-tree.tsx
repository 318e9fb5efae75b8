import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { TeamDraft } from '../../../../contract/builder.ts';
import type { MemberJudgement, TeamJudgement } from '../../../../contract/teams.ts';
import { useText } from '../../../i18n/panel-words.ts';
import { useSlots } from '../../../state/slots.tsx';
import { teamRows } from '../../../state/team-rows.ts';
import { IconButton } from '../../../ui/button.tsx';
import { useFocusBack } from '../../../ui/use-focus-back.ts';

interface Props {
  team: TeamDraft;
  judgement: TeamJudgement | null;
  onChange(team: TeamDraft): void;
}

/** The orchestrator, and below it who works for whom; each with what it may do and what is wrong with it. */
export function TeamTree({ team, judgement, onChange }: Props) {
  const [editing, setEditing] = useState<string | null>(null);
  const byId = new Map(team.agents.map((agent) => [agent.agentId, agent]));
  const judged = new Map(judgement?.members.map((one) => [one.agentId, one]));
  const replace = (agentId: string, definition: AgentDefinition) => {
    setEditing(null);
    onChange({ ...team, agents: team.agents.map((agent) => (agent.agentId === agentId ? definition : agent)) });
  };
  return (
    <>
      <h2 className="font-semibold">{team.name}</h2>
      {team.description && <p className="text-fg-2">{team.description}</p>}
      {judgement?.issues.map((issue) => (
        <p key={issue} className="text-danger">
          {issue}
        </p>
      ))}
      <ul className="mt-2 space-y-2">
        {teamRows(team.agents).map(({ agentId, depth }) => (
          <li key={agentId} style={{ marginInlineStart: `${Math.min(depth, 4) * 16}px` }}>
            <Member
              agent={byId.get(agentId)!}
              judgement={judged.get(agentId)}
              isEditing={editing === agentId}
              onEdit={() => setEditing(editing === agentId ? null : agentId)}
              onApply={(definition) => replace(agentId, definition)}
              onRemove={
                agentId === team.agents[0]?.agentId
                  ? undefined
                  : () => onChange({ ...team, agents: team.agents.filter((agent) => agent.agentId !== agentId) })
              }
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface MemberProps {
  agent: AgentDefinition;
  judgement: MemberJudgement | undefined;
  isEditing: boolean;
  onEdit(): void;
  onApply(definition: AgentDefinition): void;
  /** Absent for the orchestrator: without it there is no team. */
  onRemove: (() => void) | undefined;
}

function Member({ agent, judgement, isEditing, onEdit, onApply, onRemove }: MemberProps) {
  const text = useText();
  const name = agent.displayName ?? agent.agentId;
  const place = useFocusBack<HTMLDivElement>(isEditing);
  return (
    <div ref={place} className="rounded-lg border border-line bg-surface px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">
            {agent.icon} {name}
          </span>
          <span className="block truncate font-mono text-2xs text-fg-3">{agent.agentId}</span>
        </span>
        <IconButton data-edit="" label={text('builder.team.edit', { name })} aria-expanded={isEditing} onClick={onEdit}>
          <Pencil size={14} />
        </IconButton>
        {onRemove && (
          <IconButton label={text('builder.team.remove', { name })} onClick={onRemove}>
            <Trash2 size={14} />
          </IconButton>
        )}
      </div>
      {agent.description && <p className="text-fg-2">{agent.description}</p>}
      {judgement && <Rights judgement={judgement} />}
      {isEditing && <MemberEditor agent={agent} onApply={onApply} />}
    </div>
  );
}

function Rights({ judgement: { issues, notes, mayUse, mayAskToUse } }: { judgement: MemberJudgement }) {
  const text = useText();
  const lines = [
    [text('teams.mayUse'), mayUse],
    [text('teams.mayAskToUse'), mayAskToUse],
  ] as const;
  return (
    <div className="mt-1 space-y-0.5 text-xs text-fg-2">
      {issues.map((issue) => (
        <p key={issue} className="text-danger">
          {issue}
        </p>
      ))}
      {lines.map(([title, names]) => {
        const own = names.filter((name) => !name.startsWith('system_'));
        return own.length === 0 ? null : (
          <p key={title}>
            {title}: <span className="font-mono text-fg">{own.join(', ')}</span>
          </p>
        );
      })}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}

function MemberEditor({ agent, onApply }: { agent: AgentDefinition; onApply(definition: AgentDefinition): void }) {
  const text = useText();
  const { AgentDraftEditor } = useSlots();
  const [written, setWritten] = useState(() => JSON.stringify(agent, null, 2));
  return (
    <div className="mt-2 border-t border-line pt-2">
      <AgentDraftEditor
        label={text('builder.team.edit', { name: agent.displayName ?? agent.agentId })}
        text={written}
        onChange={setWritten}
        onApply={onApply}
      />
    </div>
  );
}
