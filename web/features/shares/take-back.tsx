import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Share } from '../../../contract/shares.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { useRevoke } from './use-shares.ts';

interface Props {
  share: Share;
  onTaken(): void;
  onKept(): void;
}

/** Asked first, since it is for good; over only when the server has said so. */
export function TakeBack({ share, onTaken, onKept }: Props) {
  const text = useText();
  const revoke = useRevoke(share);
  const sure = useRef<HTMLButtonElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => sure.current?.focus(), []);
  const take = () => {
    setBusy(true);
    setFailed(false);
    revoke().then(onTaken, () => {
      setBusy(false);
      setFailed(true);
    });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onKept();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape means "keep", wherever in here the keyboard is
    <div onKeyDown={onKey} className="mt-2 flex flex-wrap items-center justify-end gap-1.5">
      <p className="min-w-0 flex-1 basis-60 text-fg-2">{text('share.takeBackSure')}</p>
      <Button ref={sure} look="danger" aria-disabled={isBusy} onClick={() => !isBusy && take()}>
        {text(isBusy ? 'share.takingBack' : 'share.takeBackNow')}
      </Button>
      <Button onClick={onKept}>{text('share.keep')}</Button>
      <p role="alert" className="w-full text-danger empty:hidden">
        {hasFailed && text('share.notTakenBack')}
      </p>
    </div>
  );
}
