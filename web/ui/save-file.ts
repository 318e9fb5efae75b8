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
