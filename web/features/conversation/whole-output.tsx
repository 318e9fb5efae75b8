import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { Button } from '../../ui/button.tsx';

/** The rest of an output that was cut, read when it is asked for. */
export function WholeOutput({ callId }: { callId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const [whole, setWhole] = useState<string | null>(null);
  if (whole !== null)
    return <pre className="max-h-[60vh] overflow-auto font-mono whitespace-pre-wrap">{revealHidden(whole)}</pre>;
  return <Button onClick={() => void client.toolCallOutput(callId).then(setWhole)}>{text('tool.wholeOutput')}</Button>;
}
