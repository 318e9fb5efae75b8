import { type ComponentType, useEffect } from 'react';
import { text } from '../i18n/text.ts';
import { type LazyPart, lazyPart } from './lazy-part.tsx';
import { notify } from './toast.tsx';

interface Closable {
  onClose(): void;
}

/** A dialog whose script is loaded when it is first opened. If that fails, a notice says so and the dialog counts as closed. */
export function lazyDialog<Props extends Closable>(
  load: () => Promise<ComponentType<Props>>,
  loading?: ComponentType<Props>,
): LazyPart<Props> {
  return lazyPart(load, { loading, failed: NotLoaded });
}

function NotLoaded({ onClose }: Closable) {
  useEffect(() => {
    notify({ title: text('page.partFailed') });
    onClose();
  }, [onClose]);
  return null;
}
