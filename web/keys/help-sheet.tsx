import { useText } from '../i18n/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { OTHER_KEYS, SHORTCUTS, spell } from './shortcuts.ts';

export function HelpSheet({ open, onClose }: { open: boolean; onClose(): void }) {
  const text = useText();
  return (
    <Dialog open={open} onClose={onClose} title={text('keys.help')}>
      <dl>
        {[...SHORTCUTS, ...OTHER_KEYS].map(({ keys, label }) => (
          <div key={keys} className="flex items-center justify-between gap-4 py-1">
            <dt>{text(label)}</dt>
            <dd>
              <kbd className="rounded-sm border border-line px-1.5 font-mono text-2xs text-fg-2">{spell(keys)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
