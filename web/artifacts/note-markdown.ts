import type { Note } from '../../contract/notes.ts';
import { artifactPath } from '../state/artifact-links.ts';

/** Code, in which nothing is a link. */
const CODE = /(```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]*`)/;
const LINK = /\[\[([^[\]\n]{1,200})\]\]/g;

/** The text of a note with `[[Name]]` as links to what has that name. What has none stays as it was written. */
export function withLinks(text: string, links: Note['links']): string {
  const byName = new Map(links.map(({ name, artifactId }) => [name.trim().toLowerCase(), artifactId]));
  const linked = (words: string) =>
    words.replace(LINK, (written, name: string) => {
      const id = byName.get(name.trim().toLowerCase());
      return id ? `[${name.replace(/[\\`*_<>]/g, '\\$&')}](${artifactPath(id)})` : written;
    });
  return text
    .split(CODE)
    .map((piece, index) => (index % 2 === 0 ? linked(piece) : piece))
    .join('');
}
