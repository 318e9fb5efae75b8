import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { Difference } from './patch.ts';
import { pathName } from './problems.ts';

interface Props {
  differences: readonly Difference[];
  onOverwrite(choice: 'overwrite'): void;
  onTakeTheirs(): void;
  onClose(): void;
}

/** Somebody changed the agent meanwhile: both, field by field. */
export function StaleDialog({ differences, onOverwrite, onTakeTheirs, onClose }: Props) {
  const text = useText();
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text('agents.staleTitle')}
      footer={
        <>
          <Button look="plain" onClick={onClose}>
            {text('agents.keepEditing')}
          </Button>
          <Button onClick={onTakeTheirs}>{text('agents.takeTheirs')}</Button>
          <Button look="primary" onClick={() => onOverwrite('overwrite')}>
            {text('agents.overwrite')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-fg-2">{text('agents.staleHint')}</p>
      <table className="w-full table-fixed text-left text-xs">
        <thead className="text-fg-3">
          <tr>
            <th className="w-1/4 py-1 font-medium">{text('agents.staleField')}</th>
            <th className="py-1 pl-3 font-medium">{text('agents.staleTheirs')}</th>
            <th className="py-1 pl-3 font-medium">{text('agents.staleMine')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, theirs, mine }) => (
            <tr key={pathName(path)} className="border-t border-line align-top">
              <th scope="row" className="py-1.5 font-mono font-medium break-all">
                {pathName(path)}
              </th>
              <Value value={theirs} />
              <Value value={mine} />
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

function Value({ value }: { value: unknown }) {
  const text = useText();
  const words = value === undefined ? text('agents.notSet') : typeof value === 'string' ? value : JSON.stringify(value);
  return <td className="py-1.5 pl-3 break-words whitespace-pre-wrap text-fg-2">{words}</td>;
}
