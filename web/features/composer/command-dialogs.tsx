import { useText } from '../../i18n/page-words.ts';
import { sessionTitle } from '../../i18n/text.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { spell } from '../../state/shortcuts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/toast.tsx';
import { COMMAND_NAMES, COMMANDS } from './commands.ts';
import type { CommandDialog } from './use-commands.ts';

interface Props {
  sessionId: string;
  shown: CommandDialog | null;
  onClose(): void;
}

export function CommandDialogs({ sessionId, shown, onClose }: Props) {
  return (
    <>
      <HelpDialog open={shown === 'help'} onClose={onClose} />
      <ClearDialog sessionId={sessionId} open={shown === 'clear'} onClose={onClose} />
    </>
  );
}

const KEYS = [
  ['↵', 'composer.send'],
  ['Shift ↵', 'composer.newLine'],
  ['Mod+↵', 'composer.interruptAbout'],
  ['Alt ↵', 'composer.steerAbout'],
  ['@', 'composer.mentionAbout'],
] as const;

function HelpDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const text = useText();
  return (
    <Dialog open={open} onClose={onClose} title={text('composer.help')}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {COMMAND_NAMES.map((name) => (
          <Row
            key={name}
            term={`/${name} ${COMMANDS[name] === 'none' ? '' : text(`composer.argument.${name as 'new'}`)}`}
            about={text(`composer.command.${name}`)}
          />
        ))}
        {KEYS.map(([keys, about]) => (
          <Row key={keys} term={spell(keys)} about={text(about)} />
        ))}
        <Row term="//" about={text('composer.slashAbout')} />
      </dl>
    </Dialog>
  );
}

function Row({ term, about }: { term: string; about: string }) {
  return (
    <>
      <dt className="font-mono text-xs leading-5 text-fg-2">{term}</dt>
      <dd>{about}</dd>
    </>
  );
}

function ClearDialog({ sessionId, open, onClose }: { sessionId: string; open: boolean; onClose(): void }) {
  const text = useText();
  const live = useLiveConnection();
  const { title, messageCount = 0 } = useSession(sessionId) ?? {};
  const clear = () =>
    void live.client
      .call('clearSession', { sessionId })
      .then((session) => live.note(session))
      .catch((error: Error) => notify({ title: error.message }))
      .finally(onClose);
  const footer = (
    <>
      <Button onClick={onClose}>{text('action.cancel')}</Button>
      <Button look="danger" onClick={clear}>
        {text('sidebar.clearGo')}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={onClose} title={text('sidebar.clearTitle')} footer={footer}>
      <p>{text('sidebar.clearWhat', { title: sessionTitle(title), count: messageCount })}</p>
    </Dialog>
  );
}
