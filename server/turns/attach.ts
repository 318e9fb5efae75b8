import { AppError } from '../../contract/errors.ts';
import type { FileKind } from '../../contract/files.ts';
import type { Part, WebhookPart } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import type { Tx } from '../events/log.ts';
import { findFile, linkFiles } from '../files/store.ts';
import type { FileRow } from '../storage/tables.ts';

/** The files that a message names, each loaded through its owner. */
export async function loadAttached(tx: Tx, owner: string, ids: readonly string[], limit: number): Promise<FileRow[]> {
  if (ids.length > limit) throw new AppError('too_many_files', say('too_many_files', { limit, count: ids.length }));
  const files: FileRow[] = [];
  for (const id of ids) {
    const file = await findFile(tx.db, owner, id);
    if (!file) throw new AppError('file_unknown', say('file_unknown', { id }));
    files.push(file);
  }
  return files;
}

/** What a message with files, or of a webhook, is made of; null when its text says it all. */
export function partsWith(text: string, files: readonly FileRow[], webhook?: Omit<WebhookPart, 'type'>): string | null {
  if (files.length === 0 && !webhook) return null;
  const words: Part[] = text === '' ? [] : [{ type: 'text', text }];
  const { webhookId, name } = webhook ?? {};
  const origin: Part[] = webhookId && name ? [{ type: 'webhook', webhookId, name }] : [];
  return JSON.stringify([...origin, ...words, ...files.map(toPart)]);
}

function toPart(file: FileRow): Part {
  const { id: fileId, name, media_type: mediaType, kind, bytes } = file;
  return { type: 'file', fileId, name, mediaType, kind: kind as FileKind, bytes };
}

export async function attach(
  tx: Tx,
  message: { id: string; session_id: string },
  files: readonly FileRow[],
): Promise<void> {
  if (files.length === 0) return;
  const ids = files.map(({ id }) => id);
  await linkFiles(tx.db, message, ids, tx.now);
}

/** The files of a stored message whose contents are here. */
export function filesIn(parts: string | null): string[] {
  if (parts === null) return [];
  return fileIdsIn(JSON.parse(parts));
}

/** The contents that belong to parts: of files, and of the patches of diffs. */
export function fileIdsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const id = part.type === 'file' ? part.fileId : part.type === 'diff' ? part.patchId : null;
    return id === null ? [] : [id];
  });
}

/** Whether a message was made of a request to a webhook. */
export function isOfWebhook(parts: string | null): boolean {
  return parts !== null && (JSON.parse(parts) as Part[]).some(({ type }) => type === 'webhook');
}

/** Other words, the same files. */
export function withWords(parts: string | null, text: string): string | null {
  if (parts === null) return null;
  const others = (JSON.parse(parts) as Part[]).filter((part) => part.type !== 'text');
  return JSON.stringify([{ type: 'text', text }, ...others]);
}
