import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { revealHidden } from './safe-url.ts';

interface Props {
  href: string;
  onClose(): void;
}

/** Shows the whole address before the browser goes there. */
export default function LeavingDialog({ href, onClose }: Props) {
  const text = useText();
  const go = () => {
    window.open(href, '_blank', 'noopener,noreferrer');
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>{text('action.cancel')}</Button>
      <Button look="primary" onClick={go}>
        {text('markdown.leaveGo')}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={text('markdown.leaveTitle')} footer={footer}>
      <p className="mb-2 text-fg-2">{text('markdown.leaveWhy')}</p>
      <p className="font-mono text-xs break-all">{revealHidden(href)}</p>
    </Dialog>
  );
}
