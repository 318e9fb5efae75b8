/** A title as the name of a file, on every system. */
export function toFileName(title: string): string {
  const plain = title
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, 80) || 'session';
}
