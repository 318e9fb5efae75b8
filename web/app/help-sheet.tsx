import { useText } from '../i18n/page-words.ts';
import { keysOf, OTHER_KEYS, SHORTCUT_GROUPS, SHORTCUTS, type ShortcutGroup } from '../state/shortcuts.ts';
import { Dialog } from '../ui/dialog.tsx';

const KEYS = [...SHORTCUTS, ...OTHER_KEYS];

/** Every key there is, in groups: beside each other where there is room. */
export default function HelpSheet({ onClose }: { onClose(): void }) {
  const text = useText();
  return (
    <Dialog open onClose={onClose} title={text('keys.help')} wide>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: with the focus inside, the keyboard scrolls a sheet that is too long */}
      <div tabIndex={0} className="grid scroll-my-3 gap-x-8 gap-y-5 outline-none sm:grid-cols-2">
        {SHORTCUT_GROUPS.map((group) => (
          <Group key={group} group={group} />
        ))}
      </div>
    </Dialog>
  );
}

function Group({ group }: { group: ShortcutGroup }) {
  const text = useText();
  return (
    <section className={group === 'navigation' ? 'sm:row-span-2' : undefined}>
      <h3 className="mb-1 font-semibold">{text(`keys.group.${group}`)}</h3>
      <dl>
        {KEYS.filter((shortcut) => shortcut.group === group).map(({ keys, label }) => (
          <div key={keys} className="flex min-h-7 items-center justify-between gap-4">
            <dt className="text-fg-2">{text(label)}</dt>
            <dd className="flex flex-none gap-1">
              {keysOf(keys).map((key) => (
                <kbd
                  key={key}
                  className="min-w-5.5 rounded-sm border border-line px-1.5 text-center font-mono text-2xs leading-5 text-fg-2"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
