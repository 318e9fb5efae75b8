import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ParleyClient } from '../../client/parley-client.ts';
import { newId } from '../../contract/ids.ts';
import { text } from '../i18n/text.ts';
import { notify } from '../ui/toast.tsx';
import { type Kind, refusalOf } from './attachment-rules.ts';

/** A file beside the message that is being written. */
export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  /** What the server calls it; null while it is on its way. */
  readonly fileId: string | null;
}

interface Uploads {
  uploadFile(file: File, options?: { signal?: AbortSignal }): Promise<{ id: string; name: string }>;
}

const attached = createStore<Readonly<Record<string, readonly Attachment[]>>>()(() => ({}));
const NONE: readonly Attachment[] = [];

export function useAttachments(sessionId: string): readonly Attachment[] {
  return useStore(attached, (all) => all[sessionId] ?? NONE);
}

export function attachmentsOf(sessionId: string): readonly Attachment[] {
  return attached.getState()[sessionId] ?? NONE;
}

export function takesFiles(client: ParleyClient): client is ParleyClient & Uploads {
  return 'uploadFile' in client;
}

/** Begins to send files up; those that cannot be taken are named with the reason. */
export function attach(client: ParleyClient, sessionId: string, files: readonly File[], takes: readonly Kind[]): void {
  if (!takesFiles(client)) return;
  for (const file of files) {
    const refusal = refusalOf(file, attachmentsOf(sessionId).length, takes);
    if (refusal) notify({ title: text(`composer.attach.${refusal}`, { name: file.name }) });
    else void upload(client, sessionId, file);
    if (refusal === 'tooMany') return;
  }
}

export function detach(sessionId: string, key: string): void {
  put(
    sessionId,
    attachmentsOf(sessionId).filter((one) => one.key !== key),
  );
}

export function detachAll(sessionId: string): void {
  put(sessionId, NONE);
}

async function upload(client: Uploads, sessionId: string, file: File): Promise<void> {
  const key = newId();
  put(sessionId, [...attachmentsOf(sessionId), { key, name: file.name, bytes: file.size, fileId: null }]);
  try {
    const { id } = await client.uploadFile(file);
    const arrived = (one: Attachment) => (one.key === key ? { ...one, fileId: id } : one);
    put(sessionId, attachmentsOf(sessionId).map(arrived));
  } catch (error) {
    detach(sessionId, key);
    notify({ title: text('composer.attach.failed', { name: file.name }), description: (error as Error).message });
  }
}

function put(sessionId: string, list: readonly Attachment[]): void {
  attached.setState({ [sessionId]: list });
}
