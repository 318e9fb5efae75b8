import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { KnowledgeFormat } from '../../contract/knowledge.ts';

const LOOKED_AT = 4096;

/** What a file is, by its first bytes, and what kind of text it is by its name. Null: nothing that can be read. */
export async function formatOf(handle: FileHandle, name: string): Promise<KnowledgeFormat | null> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
  const beginning = buffer.subarray(0, bytesRead);
  const ending = path.extname(name).toLowerCase();
  if (beginning.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  if (beginning.subarray(0, 4).equals(ZIP)) return ending === '.docx' || ending === '.docm' ? 'docx' : null;
  if (beginning.includes(0) && !isUtf16(beginning)) return null;
  if (ending in BY_ENDING) return BY_ENDING[ending]!;
  return /^\s*<(?:!doctype\s+html|html)\b/i.test(beginning.toString('latin1')) ? 'html' : 'text';
}

const ZIP = Buffer.from('PK\x03\x04', 'latin1');

const BY_ENDING: Readonly<Record<string, KnowledgeFormat>> = {
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'markdown',
};

function isUtf16(beginning: Buffer): boolean {
  return (beginning[0] === 0xff && beginning[1] === 0xfe) || (beginning[0] === 0xfe && beginning[1] === 0xff);
}
