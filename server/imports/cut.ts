const CUT = '\n[cut]';
/** No character takes more bytes. */
const CHARACTER_BYTES = 4;

/** At most so many bytes, in whole characters. */
export function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const room = bytes - CUT.length - CHARACTER_BYTES;
  if (room <= 0) return '';
  return (
    Buffer.from(text)
      .subarray(0, room)
      .toString('utf8')
      .replace(/\uFFFD+$/, '') + CUT
  );
}
