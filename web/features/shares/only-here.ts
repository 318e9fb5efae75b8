/** Whether an address leads to this machine from this machine only, and so does every link made under it. */
export function isOnlyHere(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
