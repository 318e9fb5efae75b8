import { type ClipboardEvent, type RefObject, useEffect, useState } from 'react';
import type { Agent } from '../../contract/agents.ts';
import { useAgent } from '../live/use-agents.ts';
import { useLiveConnection } from '../live/use-live.ts';
import type { Kind } from './attachment-rules.ts';
import { attach, takesFiles } from './attachments.ts';

export interface Files {
  /** Whether files can be sent at all. */
  readonly isOn: boolean;
  /** Something is held over the conversation and would be taken. */
  readonly isOver: boolean;
  add(files: readonly File[]): void;
  onPaste(event: ClipboardEvent): void;
}

/** Files come by choosing, by pasting, and by being dropped anywhere on the conversation. */
export function useFiles(sessionId: string, primary: string | null, card: RefObject<HTMLElement | null>): Files {
  const { client } = useLiveConnection();
  const agent = useAgent(primary);
  const isOn = takesFiles(client);
  const add = (files: readonly File[]) => attach(client, sessionId, files, kindsOf(agent));
  const isOver = useDrop(card, isOn, add);
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (!isOn || files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  return { isOn, isOver, add, onPaste };
}

function kindsOf(agent: Agent | undefined): readonly Kind[] {
  return (agent as { attachments?: readonly Kind[] } | undefined)?.attachments ?? [];
}

function useDrop(card: RefObject<HTMLElement | null>, isOn: boolean, add: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const place = card.current?.closest('main');
    if (!isOn || !place) return;
    const stop = new AbortController();
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => !place.contains(event.relatedTarget as Node | null) && setOver(false);
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      add([...(event.dataTransfer?.files ?? [])]);
    };
    place.addEventListener('dragover', over, stop);
    place.addEventListener('dragleave', leave, stop);
    place.addEventListener('drop', drop, stop);
    return () => stop.abort();
  });
  return isOver;
}
