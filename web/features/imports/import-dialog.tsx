import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ProgramSession, ProgramSessionList, SessionProgram } from '../../../contract/program-sessions.ts';
import { useText } from '../../i18n/agent-words.ts';
import { fileSize, relativeTime, useNow } from '../../i18n/formats.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { providerName } from '../../state/model-line.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { keyOf, useImports } from './use-imports.ts';

const PROGRAMS = ['claude', 'codex', 'pi'] as const satisfies readonly SessionProgram[];
/** Of each program, the newest. */
const LIMIT = 500;
const PAGE = 100;

interface Props {
  onClose(): void;
}

/** The sessions that Claude Code, Codex and Pi keep on the server's machine, to be copied and continued here. */
export function ImportDialog({ onClose }: Props) {
  const text = useText();
  const navigate = useNavigate();
  const sessions = useProgramSessions();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const all = sessions.data?.sessions ?? [];
  const drop = (session: ProgramSession) => setChosen((before) => without(before, keyOf(session)));
  const { progress, failures, run, stop } = useImports(drop);
  const begin = async () => {
    const made = await run(all.filter((session) => chosen.has(keyOf(session))));
    if (made.length === 0 || made.length < chosen.size) return;
    onClose();
    if (made.length === 1) void navigate({ to: '/sessions/$sessionId', params: { sessionId: made[0]! } });
    else notify({ title: text('imports.done', { count: made.length }) });
  };
  const footer = progress ? (
    <>
      <p role="status" className="mr-auto self-center text-fg-2">
        {text('imports.progress', { done: progress.done + 1, of: progress.of })}
      </p>
      <Button onClick={stop}>{text('imports.stop')}</Button>
    </>
  ) : (
    <Button look="primary" disabled={chosen.size === 0} onClick={() => void begin()}>
      {chosen.size === 0 ? text('imports.beginNone') : text('imports.begin', { count: chosen.size })}
    </Button>
  );
  return (
    <Dialog open wide onClose={onClose} title={text('imports.title')} footer={footer}>
      <p className="mb-3 text-fg-2">{text('imports.hint')}</p>
      <ul role="alert" className="mb-3 text-danger empty:hidden">
        {failures.map(({ key, title, message }) => (
          <li key={key}>
            <bdi className="font-medium">{revealHidden(title)}</bdi>: {message}
          </li>
        ))}
      </ul>
      <Loaded query={sessions}>
        {(list) => (
          <Sessions list={list} chosen={chosen} isBusy={progress !== null} onChoose={setChosen} onClose={onClose} />
        )}
      </Loaded>
    </Dialog>
  );
}

function useProgramSessions() {
  const { client } = useLiveConnection();
  return useQuery({
    queryKey: ['programSessions'],
    queryFn: () => client.call('listProgramSessions', { query: { limit: LIMIT } }),
    staleTime: 0,
  });
}

function without(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...keys].filter((one) => one !== key));
}

interface SessionsProps extends Props {
  list: ProgramSessionList;
  chosen: ReadonlySet<string>;
  isBusy: boolean;
  onChoose(chosen: ReadonlySet<string>): void;
}

function Sessions({ list, chosen, isBusy, onChoose, onClose }: SessionsProps) {
  const text = useText();
  const [query, setQuery] = useState('');
  const [program, setProgram] = useState<SessionProgram | ''>('');
  const [shown, setShown] = useState(PAGE);
  const found = useMemo(() => findSessions(list.sessions, program, query), [list, program, query]);
  if (list.sessions.length === 0) return <p className="text-fg-2">{text('imports.none')}</p>;
  const toggle = (key: string) => onChoose(chosen.has(key) ? without(chosen, key) : new Set([...chosen, key]));
  return (
    <>
      <Filter query={query} onQuery={setQuery} program={program} onProgram={setProgram} />
      <p role="status" className="mb-1 text-xs text-fg-3">
        {found.length === 0 ? text('imports.noneFound') : text('imports.found', { count: found.length })}
      </p>
      <ul aria-label={text('imports.list')} className="divide-y divide-line border-line not-empty:border-y">
        {found.slice(0, shown).map((session) => (
          <SessionRow
            key={keyOf(session)}
            session={session}
            isChosen={chosen.has(keyOf(session))}
            isBusy={isBusy}
            onToggle={() => toggle(keyOf(session))}
            onOpen={onClose}
          />
        ))}
      </ul>
      {found.length > shown && (
        <Button look="plain" className="mt-2" onClick={() => setShown(shown + PAGE)}>
          {text('imports.more')}
        </Button>
      )}
      <Unconfigured list={list} onOpen={onClose} />
    </>
  );
}

/** All words of the query, in the title or the folder. */
function findSessions(sessions: readonly ProgramSession[], program: SessionProgram | '', query: string) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return sessions.filter((session) => {
    if (program !== '' && session.program !== program) return false;
    const said = `${session.title} ${session.folder ?? ''}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

interface FilterProps {
  query: string;
  onQuery(query: string): void;
  program: SessionProgram | '';
  onProgram(program: SessionProgram | ''): void;
}

const FIELD = 'h-8 touch:h-11 rounded-md border border-line-strong bg-surface px-2';

function Filter({ query, onQuery, program, onProgram }: FilterProps) {
  const text = useText();
  return (
    <div className="mb-2 flex flex-wrap gap-2">
      <input
        type="search"
        aria-label={text('imports.search')}
        placeholder={text('imports.search')}
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        className={`${FIELD} min-w-60 flex-1`}
      />
      <select
        aria-label={text('imports.program')}
        value={program}
        onChange={({ target }) => onProgram(PROGRAMS.find((one) => one === target.value) ?? '')}
        className={FIELD}
      >
        <option value="">{text('imports.allPrograms')}</option>
        {PROGRAMS.map((one) => (
          <option key={one} value={one}>
            {providerName(`${one}-cli`)}
          </option>
        ))}
      </select>
    </div>
  );
}

interface RowProps {
  session: ProgramSession;
  isChosen: boolean;
  isBusy: boolean;
  onToggle(): void;
  onOpen(): void;
}

/** A session that was imported before can be imported again; the copy that is there can be opened. */
function SessionRow({ session, isChosen, isBusy, onToggle, onOpen }: RowProps) {
  const text = useText();
  const now = useNow();
  const { program, title, folder, bytes, updatedAt, importedAs } = session;
  return (
    <li className="flex items-center gap-2 py-0.5">
      <label className="flex min-h-10 min-w-0 flex-1 cursor-pointer items-center gap-2.5 py-1">
        <input type="checkbox" checked={isChosen} disabled={isBusy} onChange={onToggle} className="flex-none" />
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate font-medium">
            {revealHidden(title)}
          </span>
          <span className="flex flex-wrap gap-x-2 text-xs text-fg-3">
            <span>{providerName(`${program}-cli`)}</span>
            <time dateTime={updatedAt}>{relativeTime(updatedAt, now)}</time>
            <span>{fileSize(bytes)}</span>
            {folder && <bdi className="min-w-0 truncate font-mono">{revealHidden(folder)}</bdi>}
          </span>
        </span>
      </label>
      {importedAs !== null && (
        <>
          <Badge>{text('imports.imported')}</Badge>
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: importedAs }}
            onClick={onOpen}
            aria-label={text('imports.openNamed', { title })}
            className="touch-link px-1 text-link hover:underline"
          >
            {text('imports.open')}
          </Link>
        </>
      )}
    </li>
  );
}

/** A program whose agent is not there yet: its sessions can be read, and continued once it is added. */
function Unconfigured({ list: { sessions, agents }, onOpen }: { list: ProgramSessionList; onOpen(): void }) {
  const text = useText();
  const missing = agents.filter(
    ({ program, configured }) => !configured && sessions.some((session) => session.program === program),
  );
  return missing.map(({ program }) => (
    <p key={program} className="mt-3 text-fg-2">
      {text('imports.noAgent', { name: providerName(`${program}-cli`) })}{' '}
      <Link to="/agents/new" search={{ kind: program }} onClick={onOpen} className="touch-link text-link underline">
        {text('imports.addAgent', { name: providerName(`${program}-cli`) })}
      </Link>
    </p>
  ));
}
