import type { RefObject } from 'react';
import { isBusy } from '../../../client/session-state.ts';
import type { WhenBusy } from '../../../contract/turns.ts';
import { useLive } from '../../live/use-live.ts';
/** Nobody looks at it first. */ import { lazyPart } from '../../ui/lazy-part.tsx';
import { isTouch } from '../../ui/use-touch.ts';
import { AgentSwitcher } from './agent-switcher.tsx';
import { AttachButton } from './attach-button.tsx';
import { useAttachments } from './attachments.ts';
import { SendButtons } from './send-buttons.tsx';
import type { useComposing } from './use-composing.ts';
import type { Files } from './use-files.ts';
import { VoiceButton } from './voice/voice-button.tsx';

const UsageRing = lazyPart(async () => (await import('./usage-ring.tsx')).UsageRing);

interface Props {
  sessionId: string;
  primary: string | null;
  box: RefObject<HTMLTextAreaElement | null>;
  files: Files;
  composing: ReturnType<typeof useComposing>;
}

/** Who answers and what goes along on the left; what happens with it on the right. */
export function ComposerBar({ sessionId, primary, box, files, composing }: Props) {
  const isWorking = useLive((state) => {
    const known = state.states.get(sessionId);
    return known !== undefined && isBusy(known);
  });
  const waiting = useLive((state) => state.states.get(sessionId)?.queue.length ?? 0);
  const hasFiles = useAttachments(sessionId).length > 0;
  const { writing, dictation, heard, send } = composing;
  const sendAs = (how: WhenBusy) => {
    send(how);
    if (!isTouch()) box.current?.focus();
  };
  return (
    <div className="flex items-center gap-1 px-2 pb-2">
      <AgentSwitcher sessionId={sessionId} primary={primary} />
      <AttachButton onFiles={files.add} />
      <span className="flex-1" />
      <UsageRing sessionId={sessionId} primary={primary} />
      <VoiceButton dictation={dictation} phase={heard.phase} caret={() => box.current?.selectionStart ?? 0} />
      <SendButtons
        sessionId={sessionId}
        isBusy={isWorking}
        waiting={waiting}
        canSend={writing.text.trim() !== '' || hasFiles}
        onSend={sendAs}
      />
    </div>
  );
}
