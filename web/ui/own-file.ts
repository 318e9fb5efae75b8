import { useEffect, useState } from 'react';
import type { RouteClient } from '../../client/route-client.ts';
import { useLiveConnection } from '../live/use-live.ts';

const MOST_KEPT = 60;
const kept = new Map<string, Promise<string>>();

/** An address for a picture of the server's, once it is loaded. Requests that the browser makes for an `<img>` cannot carry the page key. */
export function useFileAddress(fileId: string, onBroken?: () => void): string | undefined {
  const { client } = useLiveConnection();
  const [address, setAddress] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another file is a reason to load again
  useEffect(() => {
    let isWanted = true;
    load(client, fileId).then(
      (loaded) => isWanted && setAddress(loaded),
      () => isWanted && onBroken?.(),
    );
    return () => {
      isWanted = false;
    };
  }, [client, fileId]);
  return address;
}

/** Hands a file of the server's to the browser's downloads. */
export async function saveFile(client: RouteClient, fileId: string, name: string): Promise<void> {
  saveBlob(await client.readFile(fileId), name);
}

function load(client: RouteClient, fileId: string): Promise<string> {
  const known = kept.get(fileId);
  if (known) return known;
  const loading = client.readFile(fileId).then((blob) => URL.createObjectURL(blob));
  kept.set(fileId, loading);
  loading.catch(() => kept.delete(fileId));
  if (kept.size > MOST_KEPT) forgetOldest();
  return loading;
}

function forgetOldest(): void {
  const [fileId, address] = kept.entries().next().value!;
  kept.delete(fileId);
  void address.then((made) => URL.revokeObjectURL(made)).catch(() => undefined);
}

/** Hands a file to the browser's downloads. */
export function saveBlob(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A title as the name of a file, on every system. */
export function toFileName(title: string): string {
  const plain = title
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, 80) || 'session';
}
