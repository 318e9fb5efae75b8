import { Dialog as Base } from '@base-ui/react/dialog';
import { Command } from 'cmdk';
import { useRef, useState } from 'react';
import { useText } from '../i18n/text.ts';
import { type Entry, usePaletteEntries } from './entries.ts';
import { useFoundMessages } from './found-messages.ts';

/** Everything by name: sessions, agents, commands, and what was said. */
export function Palette({ onClose, run }: { onClose(): void; run(entry: Entry): void }) {
  const text = useText();
  const [query, setQuery] = useState('');
  /** Given the keyboard by the dialog, which only then knows to whom to give it back. */
  const input = useRef<HTMLInputElement>(null);
  const groups = usePaletteEntries();
  const found = useFoundMessages(query);
  const choose = (entry: Entry) => {
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
          <Base.Title className="sr-only">{text('keys.palette')}</Base.Title>
          <Command label={text('keys.palette')} loop>
            <Command.Input
              ref={input}
              value={query}
              onValueChange={setQuery}
              placeholder={text('palette.placeholder')}
              className="h-11 w-full border-b border-line bg-transparent px-4 text-md outline-none"
            />
            <Command.List label={text('composer.suggestions')} className="max-h-[56vh] overflow-y-auto p-1">
              <Command.Empty className="p-4 text-center text-fg-3">{text('palette.nothing')}</Command.Empty>
              {groups.map(({ heading, entries }) => (
                <Group key={heading} heading={text(heading)} entries={entries} choose={choose} />
              ))}
              {found.length > 0 && <Group heading={text('palette.messages')} entries={found} choose={choose} always />}
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface GroupProps {
  heading: string;
  entries: readonly Entry[];
  choose(entry: Entry): void;
  /** The server has chosen already: nothing is filtered out here. */
  always?: boolean;
}

function Group({ heading, entries, choose, always = false }: GroupProps) {
  return (
    <Command.Group heading={heading} className="mb-1 text-2xs text-fg-3" forceMount={always}>
      {entries.map((entry) => (
        <Command.Item
          key={entry.id}
          value={entry.id}
          keywords={[entry.label, entry.detail]}
          forceMount={always}
          onSelect={() => choose(entry)}
          className="flex h-9 items-center gap-3 rounded-md px-3 text-sm text-fg data-[selected=true]:bg-hover"
        >
          <span className="min-w-0 flex-1 truncate">{entry.label}</span>
          <span className="max-w-48 truncate text-xs text-fg-3">{entry.detail}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
