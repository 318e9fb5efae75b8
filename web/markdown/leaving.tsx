import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { revealHidden } from './safe-url.ts';

const leaving = createStore<{ href: string | null }>()(() => ({ href: null }));

/** Shows the whole address before the browser goes there. */
export function askBeforeLeaving(href: string): void {
  leaving.setState({ href });
}

/** Once in the app. */
export function LeavingDialog() {
  const text = useText();
  const href = useStore(leaving, (state) => state.href);
  const close = () => leaving.setState({ href: null });
  const go = () => {
    if (href) window.open(href, '_blank', 'noopener,noreferrer');
    close();
  };
  const footer = (
    <>
      <Button onClick={close}>{text('action.cancel')}</Button>
      <Button look="primary" onClick={go}>
        {text('markdown.leaveGo')}
      </Button>
    </>
  );
  return (
    <Dialog open={href !== null} onClose={close} title={text('markdown.leaveTitle')} footer={footer}>
      <p className="mb-2 text-fg-2">{text('markdown.leaveWhy')}</p>
      <p className="font-mono text-xs break-all">{revealHidden(href ?? '')}</p>
    </Dialog>
  );
}
