/** What an answer begins with, without the marks that would have shaped it. */
export function plainSnippet(markdown: string): string {
  return markdown
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/`{1,3}|\*{1,3}|~~/g, '')
    .replace(/(^|\s)(?:#{1,6}|>|[-+]|\d{1,3}\.)(?=\s)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
