import { ArrowUp, ChevronDown, ChevronsUpDown, CornerDownRight, ListEnd, Paperclip, Square, Zap } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { isBusy } from '../../../client/session-state.ts';
import type { WhenBusy } from '../../../contract/turns.ts';
import { useText } from '../../i18n/text.ts';
import { useAgentName, useAgents } from '../../live/use-agents.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { spell } from '../../state/shortcuts.ts';
import { AgentTile } from '../../ui/agent-tile.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { ClosedMenu, Menu, MenuItem } from '../../ui/menu.tsx';
import type { OpenedBy } from '../../ui/menu-parts.tsx';
import { notify } from '../../ui/toast.tsx';
import { isTouch } from '../../ui/use-media.ts';
import { useAttachments } from './attachments.ts';
import type { useComposing } from './use-composing.ts';
import type { Files } from './use-files.ts';
import { VoiceButton } from './voice/voice-button.tsx';

const UsageRing = lazyPart(async () => (await import('./usage-ring.tsx')).UsageRing);

interface Props {
  sessionId: string;
  primary: string | null;
  box: RefObject<HTMLTextAreaElement | null>;
  files: Files;
  composing: ReturnType<typeof useComposing>;
}

/** Who answers and what goes along on the left; what happens with it on the right. */
export function ComposerBar({ sessionId, primary, box, files, composing }: Props) {
  const isWorking = useLive((state) => {
    const known = state.states.get(sessionId);
    return known !== undefined && isBusy(known);
  });
  const waiting = useLive((state) => state.states.get(sessionId)?.queue.length ?? 0);
  const hasFiles = useAttachments(sessionId).length > 0;
  const { writing, dictation, heard, send } = composing;
  const sendAs = (how: WhenBusy) => {
    send(how);
    if (!isTouch()) box.current?.focus();
  };
  return (
    <div className="flex items-center gap-1 px-2 pb-2">
      <AgentSwitcher sessionId={sessionId} primary={primary} />
      <AttachButton onFiles={files.add} />
      <span className="flex-1" />
      <UsageRing sessionId={sessionId} primary={primary} />
      <VoiceButton dictation={dictation} phase={heard.phase} caret={() => box.current?.selectionStart ?? 0} />
      <SendButtons
        sessionId={sessionId}
        isBusy={isWorking}
        waiting={waiting}
        canSend={writing.text.trim() !== '' || hasFiles}
        onSend={sendAs}
      />
    </div>
  );
}

type Loaded = typeof import('./agent-menu.tsx');

let loaded: Loaded | null = null;

async function load(): Promise<void> {
  loaded ??= await import('./agent-menu.tsx');
}

/** Who answers when no agent is named. Another choice holds from the next message on. */
function AgentSwitcher({ sessionId, primary }: { sessionId: string; primary: string | null }) {
  const text = useText();
  const agents = useAgents();
  const live = useLiveConnection();
  const [openedBy, setOpenedBy] = useState<OpenedBy | null>(null);
  const name = useAgentName(primary);
  const choose = (agentId: string) =>
    agentId !== primary &&
    void live.client
      .call('patchSession', { sessionId, body: { agentId } })
      .then((session) => live.note(session))
      .catch((error: Error) => notify({ title: error.message }));
  const trigger = (
    <button
      type="button"
      aria-label={name ? text('composer.switchFrom', { name }) : text('composer.choose')}
      className="inline-flex h-7 min-w-0 items-center gap-1.5 touch:h-11 rounded-md border border-line px-1.5 text-sm text-fg-2 hover:bg-hover hover:text-fg"
    >
      {primary && <AgentTile agentId={primary} agent={agents.find(({ agentId }) => agentId === primary)} size={18} />}
      <span className="max-w-40 truncate">{name || text('composer.choose')}</span>
      <ChevronsUpDown size={12} className="flex-none text-fg-3" />
    </button>
  );
  if (!openedBy || !loaded) return <ClosedMenu trigger={trigger} load={load} onOpen={setOpenedBy} />;
  return <loaded.AgentMenu trigger={trigger} agents={agents} primary={primary} onChoose={choose} openedBy={openedBy} />;
}

function AttachButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={text('composer.attach')} onClick={() => input.current?.click()}>
        <Paperclip size={16} />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={text('composer.attach')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}

interface SendButtonsProps {
  sessionId: string;
  isBusy: boolean;
  waiting: number;
  canSend: boolean;
  onSend(busy: WhenBusy): void;
}

/** A running turn can be stopped; a message written meanwhile is queued, interrupts it or is handed to it. */
function SendButtons({ sessionId, isBusy, waiting, canSend, onSend }: SendButtonsProps) {
  const text = useText();
  if (!isBusy)
    return (
      <Button
        look="primary"
        className="touch:min-w-11"
        disabled={!canSend}
        onClick={() => onSend('queue')}
        aria-label={text('composer.send')}
      >
        <ArrowUp size={15} />
        <span className="hidden @sm:inline">{text('composer.send')}</span>
      </Button>
    );
  return (
    <>
      {canSend && (
        <span className="inline-flex">
          <Button className="rounded-r-none border-r-0 touch:min-w-11" onClick={() => onSend('queue')}>
            <ListEnd size={15} />
            <span className="sr-only @sm:not-sr-only">{text('composer.queue')}</span>
          </Button>
          <BusyMenu sessionId={sessionId} onSend={onSend} />
        </span>
      )}
      <StopButton sessionId={sessionId} waiting={waiting} />
    </>
  );
}

function BusyMenu({ sessionId, onSend }: { sessionId: string; onSend(busy: WhenBusy): void }) {
  const text = useText();
  const rigid = useAgentThatTakesNothing(sessionId);
  const trigger = (
    <IconButton label={text('composer.howToSend')} className="w-6 rounded-l-none border border-line bg-surface">
      <ChevronDown size={13} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<ListEnd size={14} />} keys="↵" onSelect={() => onSend('queue')}>
        {text('composer.queueAbout')}
      </MenuItem>
      <MenuItem
        icon={<CornerDownRight size={14} />}
        keys={rigid === null ? spell('Alt ↵') : undefined}
        disabled={rigid !== null}
        onSelect={() => onSend('steer')}
      >
        {rigid === null ? text('composer.steerAbout') : text('composer.steerUnable', { name: rigid })}
      </MenuItem>
      <MenuItem icon={<Zap size={14} />} keys={spell('Mod+↵')} onSelect={() => onSend('interrupt')}>
        {text('composer.interruptAbout')}
      </MenuItem>
    </Menu>
  );
}

/** The name of the agent that speaks, if nothing can be added to its reply. */
function useAgentThatTakesNothing(sessionId: string): string | null {
  const agents = useAgents();
  const speaker = useLive((state) => state.states.get(sessionId)?.live?.agentId);
  const agent = agents.find(({ agentId }) => agentId === speaker);
  return agent && !agent.steers ? agent.displayName : null;
}

/** Stops everything here: those who work, and what waits. */
function StopButton({ sessionId, waiting }: { sessionId: string; waiting: number }) {
  const text = useText();
  const { client } = useLiveConnection();
  const isOffline = useLive(({ connection }) => connection === 'lost');
  const stop = () =>
    void client.call('cancelSession', { sessionId }).catch((error: Error) => notify({ title: error.message }));
  const label = text(waiting > 0 ? 'composer.stopAll' : 'composer.stop');
  return (
    <Button
      look="primary"
      className="touch:min-w-11"
      disabled={isOffline}
      onClick={stop}
      aria-label={label}
      title={label}
    >
      <Square size={12} fill="currentColor" />
      <span className="hidden @sm:inline">{label}</span>
    </Button>
  );
}
