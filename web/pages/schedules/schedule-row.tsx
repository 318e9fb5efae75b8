import { Link } from '@tanstack/react-router';
import { History, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { relativeTime, useNow } from '../../i18n/formats.ts';
import { useText } from '../../i18n/schedule-words.ts';
import { useAgentName, useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Badge } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { draftOf, toFields } from './draft.ts';
import { RunList } from './run-list.tsx';
import { moment, useScheduleVerb } from './use-schedules.ts';

interface Props {
  schedule: Schedule;
  onEdit(): void;
}

export function ScheduleRow({ schedule, onEdit }: Props) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const { name, when, agentId, content } = schedule;
  const agent = useAgents().find((one) => one.agentId === agentId);
  const agentName = useAgentName(agentId);
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <span className="mt-0.5 grid w-5 flex-none place-items-center">
          {agentId && <AgentTile agentId={agentId} agent={agent} />}
        </span>
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="font-medium" dir="auto">
            {name}
          </h2>
          <p className="text-xs text-fg-2">
            {[when, agentName].filter(Boolean).join(' · ')} <State schedule={schedule} />
          </p>
          <p dir="auto" className="truncate text-xs text-fg-3">
            {content}
          </p>
          <LastRun schedule={schedule} />
        </div>
        <span className="flex flex-none gap-0.5">
          <RowVerbs schedule={schedule} />
          <IconButton
            label={text('schedules.historyOf', { name })}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <History size={15} />
          </IconButton>
          <IconButton label={text('schedules.edit', { name })} onClick={onEdit}>
            <Pencil size={14} />
          </IconButton>
          <DeleteButton schedule={schedule} />
        </span>
      </div>
      {isOpen && <RunList schedule={schedule} />}
    </li>
  );
}

function State({ schedule }: { schedule: Schedule }) {
  const text = useText();
  const { state, nextAt, pausedBecause } = schedule;
  if (nextAt !== null)
    return <span className="text-fg">· {text('schedules.next', { when: moment(nextAt, schedule) })}</span>;
  return (
    <>
      <Badge tone={pausedBecause ? 'danger' : 'plain'}>
        {text(state === 'paused' ? 'schedules.paused' : 'schedules.ended')}
      </Badge>
      {pausedBecause && <span className="mt-0.5 block text-danger">{pausedBecause}</span>}
    </>
  );
}

function LastRun({ schedule: { lastRun } }: { schedule: Schedule }) {
  const text = useText();
  const now = useNow();
  if (!lastRun) return null;
  const words = text('schedules.lastRun', { when: relativeTime(lastRun.createdAt, now) });
  if (lastRun.state === 'failed')
    return <p className="text-xs text-danger">{text('schedules.failed', { reason: lastRun.error ?? '' })}</p>;
  return (
    <p className="text-xs text-fg-3">
      {lastRun.sessionId ? (
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: lastRun.sessionId }}
          className="touch-link text-link hover:underline"
        >
          {words}
        </Link>
      ) : (
        words
      )}
    </p>
  );
}

/** Pausing, resuming and running now. */
function RowVerbs({ schedule: { id, name, state } }: { schedule: Schedule }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useScheduleVerb();
  const params = { scheduleId: id };
  return (
    <>
      <IconButton
        label={text('schedules.runNowOf', { name })}
        onClick={() => void attempt(() => client.call('runSchedule', params))}
      >
        <Send size={14} />
      </IconButton>
      {state === 'active' && (
        <IconButton
          label={text('schedules.pauseOf', { name })}
          onClick={() => void attempt(() => client.call('pauseSchedule', params))}
        >
          <Pause size={15} />
        </IconButton>
      )}
      {state === 'paused' && (
        <IconButton
          label={text('schedules.resumeOf', { name })}
          onClick={() => void attempt(() => client.call('resumeSchedule', params))}
        >
          <Play size={15} />
        </IconButton>
      )}
    </>
  );
}

/** Deleted at once; undo makes the schedule again, without its history. */
function DeleteButton({ schedule }: { schedule: Schedule }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useScheduleVerb();
  const { id, name } = schedule;
  const restore = () => attempt(() => client.call('createSchedule', { body: toFields(draftOf(schedule)) }));
  const remove = async () => {
    if (!(await attempt(() => client.call('deleteSchedule', { scheduleId: id })))) return;
    const undo = { label: text('action.undo'), run: () => void restore() };
    notify({ title: text('schedules.deleted', { name }), undo });
  };
  return (
    <IconButton label={text('schedules.delete', { name })} onClick={() => void remove()}>
      <Trash2 size={14} />
    </IconButton>
  );
}
