/** The address of a list, note, view or file, for messages and notes. */
export function artifactLink(artifactId: string): string {
  return `${location.origin}${artifactPath(artifactId)}`;
}

export function artifactPath(artifactId: string): string {
  return `/artifacts/${artifactId}`;
}
