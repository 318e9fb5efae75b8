/** The end of a link, as it stands in the address. */
export function tokenIn(path: string): string {
  const end = path.replace(/^\/s\//, '').replace(/\/+$/, '');
  try {
    return decodeURIComponent(end);
  } catch {
    return end;
  }
}
