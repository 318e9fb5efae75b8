/** Where a client is in a stream. Without an epoch it is a bare number, from an older client or a list. */
export interface EventCursor {
  readonly number: number;
  readonly epoch: string | null;
}

const CURSOR = /^(\d{1,15})(?:\.([0-9a-f]{16}))?$/;

export function writeEventCursor({ number, epoch }: EventCursor): string {
  return epoch === null ? String(number) : `${number}.${epoch}`;
}

export function readEventCursor(text: string): EventCursor | null {
  const [, number, epoch = null] = CURSOR.exec(text) ?? [];
  return number === undefined ? null : { number: Number(number), epoch };
}
