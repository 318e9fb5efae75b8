import { type ClipboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { ParleyClient } from '../../../client/parley-client.ts';
import type { Agent } from '../../../contract/agents.ts';
import type { Attachable } from '../../../contract/files.ts';
import { fileSize } from '../../i18n/formats.ts';
import { text } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { draftOf } from '../../state/drafts.ts';
import { isLongText } from '../../ui/long-text.ts';
import { notify } from '../../ui/toast.tsx';
import { cutPaste, MOST_FILES, MOST_TEXT_BYTES } from './attachment-rules.ts';
import { attach, attachmentsOf, attachPaste, hasRoomFor, resumePastes } from './attachments.ts';
import { leadingNames } from './suggestions.ts';

export interface Files {
  /** Something is held over the conversation and would be taken. */
  readonly isOver: boolean;
  add(files: readonly File[]): void;
  onPaste(event: ClipboardEvent): void;
}

/** Files come by choosing, by pasting, and by being dropped anywhere on the conversation. */
export function useFiles(sessionId: string, primary: string | null, card: RefObject<HTMLElement | null>): Files {
  const { client } = useLiveConnection();
  const agents = useAgents();
  const takes = () => takenBy(agents, [...namedIn(draftOf(sessionId)), primary]);
  const add = (files: readonly File[]) => attach(client, sessionId, files, takes());
  const isOver = useDrop(card, add);
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    const pasted = event.clipboardData.getData('text/plain');
    if (files.length === 0 && !takesOutOfBox(client, sessionId, pasted, takes())) return;
    event.preventDefault();
    add(files);
  };
  useEffect(() => resumePastes(client, sessionId), [client, sessionId]);
  return { isOver, add, onPaste };
}

/**
 * A long text goes along as files if an agent that may answer would be given them. One that is longer than a file may be is
 * otherwise refused: in the box, every key would take long. False: it may go into the box.
 */
function takesOutOfBox(client: ParleyClient, sessionId: string, pasted: string, takes: readonly Attachable[]): boolean {
  if (!isLongText(pasted)) return false;
  const pieces = cutPaste(pasted);
  const room = takes.includes('text') ? MOST_FILES - attachmentsOf(sessionId).length : 0;
  const canAttach = pieces.length <= room && hasRoomFor(pasted);
  if (!canAttach && pieces.length === 1) return false;
  if (canAttach) attachPaste(client, sessionId, pieces);
  else refusePaste(pasted, MOST_TEXT_BYTES * Math.max(1, room));
  return true;
}

function refusePaste(pasted: string, limit: number): void {
  const size = fileSize(new Blob([pasted]).size);
  notify({ title: text('composer.paste.tooLarge', { size, limit: fileSize(limit) }) });
}

function namedIn(draft: string): string[] {
  return leadingNames(draft).map(({ start, end }) => draft.slice(start + 1, end));
}

/** What any of those who may answer can be shown. */
function takenBy(agents: readonly Agent[], ids: readonly (string | null)[]): Attachable[] {
  return agents.filter(({ agentId }) => ids.includes(agentId)).flatMap(({ attachments }) => attachments);
}

function useDrop(card: RefObject<HTMLElement | null>, add: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const taking = useRef(add);
  useEffect(() => {
    taking.current = add;
  });
  useEffect(() => {
    const place = card.current?.closest('main');
    return place ? followDrags(place, setOver, (files) => taking.current(files)) : undefined;
  }, [card]);
  return isOver;
}

function followDrags(place: HTMLElement, over: (isOver: boolean) => void, take: (files: File[]) => void): () => void {
  const stop = new AbortController();
  const withFiles = (act: (event: DragEvent) => void) => (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    act(event);
  };
  const leave = (event: DragEvent) => !place.contains(event.relatedTarget as Node | null) && over(false);
  const drop = ({ dataTransfer }: DragEvent) => {
    over(false);
    take([...(dataTransfer?.files ?? [])]);
  };
  place.addEventListener(
    'dragover',
    withFiles(() => over(true)),
    stop,
  );
  place.addEventListener('dragleave', leave, stop);
  place.addEventListener('drop', withFiles(drop), stop);
  return () => stop.abort();
}
