import { useText } from '../../i18n/text.ts';
import { Caret } from '../../markdown/caret.tsx';
import type { ShownPart } from './shown-parts.ts';

/** What stands under an answer that is being said. The caret is at the end of its words. */
export function UnderWay({ last }: { last: ShownPart | undefined }) {
  const text = useText();
  if (last) return null;
  return (
    <p className="text-fg-3">
      {text('conversation.thinking')}
      <Caret />
    </p>
  );
}
