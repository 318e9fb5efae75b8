import { useText } from '../i18n/text.ts';
import type { ShownPart } from './shown-parts.ts';

/** The end of what is being said at this moment. */
export function UnderWay({ last }: { last: ShownPart | undefined }) {
  const text = useText();
  return (
    <>
      {!last && <p className="text-fg-3">{text('conversation.thinking')}</p>}
      {last?.kind !== 'call' && (
        <span aria-hidden="true" className="ml-0.5 inline-block h-3.5 w-1.5 rounded-[1.5px] bg-agent align-[-2px]" />
      )}
      <RoomForToolbar />
    </>
  );
}

/** What can be done with a message stands here once it is whole: nothing moves up when it ends. */
function RoomForToolbar() {
  return <div className="mt-1 h-7" />;
}
