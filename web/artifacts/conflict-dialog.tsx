import type { ArtifactConflict } from '../../contract/artifacts.ts';
import { useText } from '../i18n/panel-words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { moment, useAuthorName } from './author.tsx';

interface Props {
  conflicts: readonly ArtifactConflict[];
  nameOf(field: string): string;
  onMine(): void;
  onTheirs(): void;
}

/** Two changed the same field: both versions, and the choice. Closing it keeps what is there. */
export function ConflictDialog({ conflicts, nameOf, onMine, onTheirs }: Props) {
  const text = useText();
  const authorOf = useAuthorName();
  const buttons = (
    <>
      <Button onClick={onTheirs}>{text('conflict.keepTheirs')}</Button>
      <Button look="primary" onClick={onMine}>
        {text('conflict.useMine')}
      </Button>
    </>
  );
  return (
    <Dialog open wide title={text('conflict.title')} onClose={onTheirs} footer={buttons}>
      <p className="mb-3 text-fg-2">{text('conflict.hint')}</p>
      {conflicts.map(({ field, yours, theirs, by, at }) => (
        <section key={field} aria-label={nameOf(field)} className="mb-3">
          <h3 className="mb-1 font-semibold">{nameOf(field)}</h3>
          <div className="grid gap-2 sm:grid-cols-2">
            <Version title={text('conflict.yours')} value={yours} />
            <Version title={text('conflict.theirs', { name: authorOf(by), time: moment(at) })} value={theirs} />
          </div>
        </section>
      ))}
    </Dialog>
  );
}

function Version({ title, value }: { title: string; value: unknown }) {
  const text = useText();
  const shown = shownValue(value);
  return (
    <div className="min-w-0 rounded-md border border-line bg-surface p-2">
      <p className="mb-1 text-xs text-fg-3">{title}</p>
      <p dir="auto" className="max-h-60 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
        {shown === '' ? <span className="text-fg-3">{text('conflict.empty')}</span> : shown}
      </p>
    </div>
  );
}

/** A value of any field, as words. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
