export function Composer(_: { sessionId: string }) {
  return null;
}
