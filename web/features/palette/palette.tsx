import { Dialog as Base } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Command as Menu } from 'cmdk';
import { type FormEvent, type RefObject, useDeferredValue, useRef, useState } from 'react';
import { useText } from '../../i18n/page-words.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { Excerpt } from '../../markdown/plain-snippet.tsx';
import { newSession } from '../../state/new-session.ts';
import { showOverlay } from '../../state/open-dialogs.ts';
import { openPanel } from '../../state/open-panels.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { rename } from '../../state/session-verbs.ts';
import type { Command } from '../../state/shortcuts.ts';
import { beginWithTeam } from '../../state/teams.ts';
import { beginFromTemplate, showTemplates } from '../../state/templates.ts';
import { takeTyped } from '../../state/typed-ahead.ts';
import { type Entry, type EntryGroup, usePaletteEntries } from './entries.ts';
import { EntryIcon } from './entry-icon.tsx';
import { runVerb } from './session-verbs.ts';

interface Props {
  onClose(): void;
  runCommand(command: Command): void;
}

/** Everything by name: sessions, agents, commands, and messages. */
export function Palette({ onClose, runCommand }: Props) {
  const text = useText();
  const { sessionId } = useParams({ strict: false });
  const [isRenaming, setRenaming] = useState(false);
  /** The dialog moves the focus here, and back to where it was when it closes. */
  const input = useRef<HTMLInputElement>(null);
  const run = useRunEntry(runCommand);
  const choose = (entry: Entry) => {
    if (entry.kind === 'verb' && entry.verb === 'rename') return setRenaming(true);
    onClose();
    run(entry);
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          initialFocus={input}
          className="fixed top-[10vh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line-strong bg-raised shadow-float"
        >
          <Base.Title className="sr-only">{text(isRenaming ? 'palette.rename' : 'keys.palette')}</Base.Title>
          {isRenaming && sessionId ? (
            <RenameForm sessionId={sessionId} input={input} onClose={onClose} />
          ) : (
            <Choices input={input} choose={choose} />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Choices({ input, choose }: { input: RefObject<HTMLInputElement | null>; choose(entry: Entry): void }) {
  const text = useText();
  const [query, setQuery] = useState(takeTyped);
  const groups = usePaletteEntries(query);
  const messages = useFoundMessages(query);
  const all: readonly EntryGroup[] =
    messages.length > 0 ? [...groups, { heading: 'palette.messages', entries: messages }] : groups;
  return (
    <Menu label={text('keys.palette')} loop shouldFilter={false}>
      <Menu.Input
        ref={input}
        value={query}
        onValueChange={setQuery}
        placeholder={text('palette.placeholder')}
        className="h-11 w-full border-b border-line bg-transparent px-4 text-md text-ellipsis outline-none"
      />
      <Menu.List label={text('composer.suggestions')} className="max-h-[56vh] scroll-py-8 overflow-y-auto p-1">
        <Menu.Empty className="p-4 text-center text-fg-3">{text('palette.nothing')}</Menu.Empty>
        {all.map(({ heading, entries }) => (
          <Menu.Group
            key={heading}
            heading={text(heading)}
            className="mb-1 **:[[cmdk-group-heading]]:px-3 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-fg-3"
          >
            {entries.map((entry) => (
              <Line key={entry.id} entry={entry} choose={choose} />
            ))}
          </Menu.Group>
        ))}
      </Menu.List>
    </Menu>
  );
}

function Line({ entry, choose }: { entry: Entry; choose(entry: Entry): void }) {
  const isKeys = entry.kind === 'command';
  return (
    <Menu.Item
      value={entry.id}
      onSelect={() => choose(entry)}
      className="flex h-9 cursor-pointer items-center gap-3 rounded-md px-3 text-sm text-fg data-[selected=true]:bg-hover pointer-coarse:h-11"
    >
      <span className="grid w-[18px] flex-none place-items-center text-fg-3">
        <EntryIcon entry={entry} />
      </span>
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {entry.kind === 'message' ? <Excerpt snippet={entry.label} matches={entry.matches} /> : entry.label}
      </span>
      {isKeys ? (
        <kbd className="flex-none font-mono text-2xs text-fg-3 pointer-coarse:hidden">{entry.detail}</kbd>
      ) : (
        <span dir="auto" className="max-w-40 truncate text-xs text-fg-3">
          {entry.detail}
        </span>
      )}
    </Menu.Item>
  );
}

const LEAST = 3;

/** Messages that hold the words, found by the server once there is enough to look for. */
function useFoundMessages(query: string): Entry[] {
  const { client } = useLiveConnection();
  const wanted = useDeferredValue(query.trim());
  const { data } = useQuery({
    queryKey: ['palette-search', wanted],
    queryFn: () => client.call('search', { query: { q: wanted, limit: 8 } }),
    enabled: wanted.length >= LEAST,
    retry: false,
  });
  if (wanted.length < LEAST) return [];
  return (data?.hits ?? []).map(({ messageId, sessionId, snippet, matches, sessionTitle: title }) => ({
    kind: 'message',
    id: `message ${messageId}`,
    label: snippet,
    detail: sessionTitle(title),
    keywords: [],
    sessionId,
    messageId,
    matches,
  }));
}

/** Does what was chosen in the palette. */
function useRunEntry(runCommand: (command: Command) => void): (entry: Entry) => void {
  const navigate = useNavigate();
  const deps = useSessionDeps();
  const { live } = deps;
  const show = (sessionId: string, message?: string) =>
    void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: message ? { message } : {} });
  return (entry) => {
    switch (entry.kind) {
      case 'command':
        return runCommand(entry.command);
      case 'verb': {
        const current = deps.current();
        return current === null || entry.verb === 'rename' ? undefined : runVerb(entry.verb, deps, current);
      }
      case 'artifact': {
        const artifactId = entry.artifact.id;
        const current = deps.current();
        if (current !== null) return void openPanel(current, entry.artifact.kind, { artifactId });
        return void navigate({ to: '/artifacts/$artifactId', params: { artifactId } });
      }
      case 'panel': {
        const current = deps.current();
        return current === null ? undefined : void openPanel(current, entry.panelType);
      }
      case 'agent':
        return void newSession(live, navigate, entry.agent.agentId);
      case 'template':
        return void beginFromTemplate(live, navigate, entry.template);
      case 'team':
        return void beginWithTeam(live, navigate, entry.team);
      case 'templates':
        return showTemplates();
      case 'import':
        return showOverlay('import');
      case 'session':
        return show(entry.session.id);
      case 'message':
        return show(entry.sessionId, entry.messageId);
      default:
        return entry satisfies never;
    }
  };
}

interface RenameFormProps {
  sessionId: string;
  input: RefObject<HTMLInputElement | null>;
  onClose(): void;
}

/** The palette's second step: the new name of the session that is open. */
function RenameForm({ sessionId, input, onClose }: RenameFormProps) {
  const text = useText();
  const deps = useSessionDeps();
  const session = useSession(sessionId);
  const [name, setName] = useState(sessionTitle(session?.title));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '') return;
    if (wanted === sessionTitle(session?.title) || (await rename(deps, sessionId, wanted))) onClose();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input
        ref={input}
        // biome-ignore lint/a11y/noAutofocus: the person asked to write here
        autoFocus
        value={name}
        maxLength={200}
        aria-label={text('sidebar.newName')}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
        className="h-11 w-full bg-transparent px-4 text-md outline-none"
      />
      <p className="border-t border-line px-4 py-2 text-xs text-fg-3">{text('palette.renameHint')}</p>
    </form>
  );
}
