import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ParleyClient } from '../../../client/parley-client.ts';
import type { Attachable } from '../../../contract/files.ts';
import { newId } from '../../../contract/ids.ts';
import { text } from '../../i18n/text.ts';
import { deviceMemory, recall, remember } from '../../state/device-memory.ts';
import { addToDraft } from '../../state/drafts.ts';
import type { SentFile } from '../../state/sending.ts';
import { notify } from '../../ui/toast.tsx';
import { refusalOf } from './attachment-rules.ts';

/** A file beside the message that is being written. */
export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  /** What the server makes of it; null while it is on its way. */
  readonly sent: SentFile | null;
  /** The text itself, when it was pasted; it can become part of the message again. */
  readonly pasted?: string;
  readonly isPiece?: boolean;
}

type Uploads = Pick<ParleyClient, 'call'>;

const PASTES_KEY = 'parley.pastes';
/** Browsers give a site about five million characters in all, and drafts need some. */
const MOST_CHARACTERS = 2_000_000;

const attached = createStore<Readonly<Record<string, readonly Attachment[]>>>()(() => restored());
const NONE: readonly Attachment[] = [];

export function useAttachments(sessionId: string): readonly Attachment[] {
  return useStore(attached, (all) => all[sessionId] ?? NONE);
}

export function attachmentsOf(sessionId: string): readonly Attachment[] {
  return attached.getState()[sessionId] ?? NONE;
}

/** Begins to send files up; those that cannot be taken are named with the reason. */
export function attach(client: Uploads, sessionId: string, files: readonly File[], takes: readonly Attachable[]): void {
  for (const file of files) {
    const refusal = refusalOf(file, attachmentsOf(sessionId).length, takes);
    if (refusal) notify({ title: text(`composer.attach.${refusal}`, { name: file.name }) });
    else void upload(client, sessionId, file);
    if (refusal === 'tooMany' || refusal === 'nothingTaken') return;
  }
}

/**
 * A long text goes along as a file, or as several. If it cannot be sent up, it becomes part of the message instead, unless
 * it is too long for that.
 */
export function attachPaste(client: Uploads, sessionId: string, pieces: readonly string[]): void {
  for (const piece of pieces) {
    const paste = { key: newId(), name: nameOfPaste(sessionId), text: piece, isPiece: pieces.length > 1 };
    put(sessionId, [...attachmentsOf(sessionId), fromPaste(paste)]);
    void uploadPaste(client, sessionId, paste);
  }
}

/** What was pasted before a reload is sent up again: what was sent up then may be forgotten by now. */
export function resumePastes(client: Uploads, sessionId: string): void {
  for (const { key, name, pasted, sent, isPiece = false } of attachmentsOf(sessionId))
    if (pasted !== undefined && sent === null)
      void uploadPaste(client, sessionId, { key, name, text: pasted, isPiece });
}

/** What was not sent after all stands beside the message again. */
export function attachAgain(sessionId: string, files: readonly SentFile[]): void {
  const again = files.map((sent) => ({ key: sent.id, name: sent.name, bytes: sent.bytes, sent }));
  put(sessionId, [...attachmentsOf(sessionId), ...again]);
}

/** No message refers to the file, so the server need not keep it. A file that stays behind is deleted after a day. */
export function detach(client: Uploads, sessionId: string, { key, sent }: Attachment): void {
  drop(sessionId, key);
  if (sent) void client.call('deleteFile', { fileId: sent.id }).catch(() => undefined);
}

export function detachAll(sessionId: string): void {
  put(sessionId, NONE);
}

async function upload(client: Uploads, sessionId: string, file: File): Promise<void> {
  const key = newId();
  put(sessionId, [...attachmentsOf(sessionId), { key, name: file.name, bytes: file.size, sent: null }]);
  try {
    await sendUp(client, sessionId, key, file);
  } catch (error) {
    drop(sessionId, key);
    notifyFailed(file.name, error as Error);
  }
}

function notifyFailed(name: string, { message }: Error): void {
  notify({ title: text('composer.attach.failed', { name }), description: message });
}

const goingUp = new Set<string>();

async function uploadPaste(client: Uploads, sessionId: string, paste: Paste): Promise<void> {
  const { key, name, text: pasted, isPiece } = paste;
  if (goingUp.has(key)) return;
  goingUp.add(key);
  try {
    await sendUp(client, sessionId, key, new File([pasted], name, { type: 'text/plain' }));
  } catch (error) {
    const isStillThere = attachmentsOf(sessionId).some((one) => one.key === key);
    drop(sessionId, key);
    if (!isStillThere) return;
    if (isPiece) notifyFailed(name, error as Error);
    else addToDraft(sessionId, pasted);
  } finally {
    goingUp.delete(key);
  }
}

async function sendUp(client: Uploads, sessionId: string, key: string, file: File): Promise<void> {
  const { id, name, bytes, kind, mediaType } = await client.call('uploadFile', {
    query: { name: file.name },
    contents: file,
  });
  const sent = { id, name, bytes, kind, mediaType };
  const arrived = (one: Attachment) => (one.key === key ? { ...one, sent } : one);
  put(sessionId, attachmentsOf(sessionId).map(arrived));
}

/** The first name that no other file beside the message has. */
function nameOfPaste(sessionId: string): string {
  const taken = new Set(attachmentsOf(sessionId).map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = `${text('composer.paste.name', { number })}.txt`;
    if (!taken.has(name)) return name;
  }
}

function fromPaste({ key, name, text: pasted, isPiece = false }: Paste): Attachment {
  return { key, name, bytes: new Blob([pasted]).size, sent: null, pasted, isPiece };
}

function restored(): Readonly<Record<string, readonly Attachment[]>> {
  return Object.fromEntries(Object.entries(readPastes()).map(([id, pastes]) => [id, pastes.map(fromPaste)]));
}

function drop(sessionId: string, key: string): void {
  put(
    sessionId,
    attachmentsOf(sessionId).filter((one) => one.key !== key),
  );
}

function put(sessionId: string, list: readonly Attachment[]): void {
  attached.setState({ [sessionId]: list });
  keepPastes(
    sessionId,
    list.flatMap(({ key, name, pasted, isPiece = false }) =>
      pasted === undefined ? [] : [{ key, name, text: pasted, isPiece }],
    ),
  );
}

/** A long text that was pasted and stands beside the message as a file. */
interface Paste {
  readonly key: string;
  readonly name: string;
  readonly text: string;
  /** It was cut off a text that is too long for one file. */
  readonly isPiece?: boolean;
}

type Pastes = Readonly<Record<string, readonly Paste[]>>;

/** Pasted texts that were not sent yet, by session, as they were when the page was left. */
function readPastes(): Pastes {
  return recall(PASTES_KEY, {});
}

/** Changes those of one session; other tabs have written those of others. */
function keepPastes(sessionId: string, pastes: readonly Paste[]): void {
  const { [sessionId]: before = [], ...others } = readPastes();
  if (before.length === 0 && pastes.length === 0) return;
  const all = pastes.length === 0 ? others : { ...others, [sessionId]: pastes };
  remember(PASTES_KEY, all);
}

/** Whether a text can be kept through a reload. One that cannot stays in the message, as part of the draft. */
export function hasRoomFor(text: string): boolean {
  return (deviceMemory.getItem(PASTES_KEY)?.length ?? 0) + text.length <= MOST_CHARACTERS;
}
