import { Plus } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { useTemplates } from '../../state/use-templates.ts';
import { Button } from '../../ui/button.tsx';
import { isComplete } from './draft.ts';
import { FORM_ID, NEW, type View } from './view.ts';

interface Props {
  view: View;
  isBusy: boolean;
  onNew(): void;
  onCancel(): void;
}

export function DialogFooter({ view, isBusy, onNew, onCancel }: Props) {
  const text = useText();
  if (view.kind === 'list') return <NewButton isWanted={view.focus === NEW} onNew={onNew} />;
  return (
    <>
      <Button onClick={onCancel}>{text('action.cancel')}</Button>
      {/* Kept where the keyboard is: a button that cannot be pressed would lose it. */}
      <Button
        look="primary"
        type="submit"
        form={FORM_ID}
        disabled={view.kind !== 'form' || !isComplete(view.draft)}
        aria-disabled={isBusy}
      >
        {text('agents.save')}
      </Button>
    </>
  );
}

function NewButton({ isWanted, onNew }: { isWanted: boolean; onNew(): void }) {
  const text = useText();
  const isFirst = useTemplates().length === 0;
  return (
    <Button autoFocus={isWanted} look={isFirst ? 'primary' : 'outline'} onClick={onNew}>
      <Plus size={14} />
      {text('templates.new')}
    </Button>
  );
}
