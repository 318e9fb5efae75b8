import { strToU8, zipSync } from 'fflate';

/** A PDF with a page for each list of lines. */
export function pdfOf(pages: readonly (readonly string[])[]): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const kids: string[] = [];
  for (const lines of pages) {
    const content = lines.map((line, index) => `1 0 0 1 50 ${750 - index * 14} Tm (${escapePdf(line)}) Tj`).join('\n');
    const stream = `BT /F1 11 Tf\n${content}\nET`;
    const contents = objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`;
    kids.push(`${objects.push(page)} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`;
  return assemble(objects);
}

function escapePdf(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

/** Objects from number 1 on, the first of them the catalogue. */
function assemble(objects: readonly string[], trailer = ''): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const xref = text.length;
  const entries = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A PDF that opens only with a password. */
export function lockedPdf(): Buffer {
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>';
  const key = '<'.concat('41'.repeat(32), '>');
  const lock = `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O ${key} /U ${key} >>`;
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 1 /Kids [3 0 R] >>', page, lock];
  return assemble(objects, '/Encrypt 4 0 R /ID [<41> <41>]');
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const STYLES = `<w:styles ${WORD}><w:style w:styleId="Titel1"><w:name w:val="heading 1"/></w:style>
  <w:style w:styleId="Titel2"><w:name w:val="heading 2"/></w:style></w:styles>`;

/** A Word document with this body. Its styles for headings are `Titel1` and `Titel2`, as in a German Word. */
export function docxOf(body: string, prolog = ''): Buffer {
  return zipOf({
    'word/document.xml': `<?xml version="1.0"?>${prolog}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': STYLES,
  });
}

export function paragraph(text: string, style?: string): string {
  const properties = style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : '';
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

export function zipOf(files: Record<string, string | Uint8Array>): Buffer {
  const entries = Object.entries(files).map(([name, text]) => [name, typeof text === 'string' ? strToU8(text) : text]);
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 9 }));
}

/** The same archive of one file, which says that the file unpacks to another size. */
export function withUnpackedSize(zip: Buffer, bytes: number): Buffer {
  const changed = Buffer.from(zip);
  changed.writeUInt32LE(bytes, changed.indexOf('PK\x03\x04', 0, 'latin1') + 22);
  changed.writeUInt32LE(bytes, changed.indexOf('PK\x01\x02', 0, 'latin1') + 24);
  return changed;
}
