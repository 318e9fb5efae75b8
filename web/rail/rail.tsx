export function Rail(_: { sessionId: string }) {
  return null;
}
