import type { ParleyClient } from '../../client/parley-client.ts';
import { saveBlob, toFileName } from '../ui/save-file.ts';

export type ExportFormat = 'markdown' | 'json';

/** The whole session as a file. */
export async function downloadSession(
  client: ParleyClient,
  { id, title }: { id: string; title: string },
  format: ExportFormat,
): Promise<void> {
  if (format === 'markdown')
    save(
      await client.callForText('exportSession', { sessionId: id, query: { format: 'markdown' } }),
      'text/markdown',
      `${toFileName(title)}.md`,
    );
  else
    save(
      JSON.stringify(await client.call('exportSession', { sessionId: id, query: { format: 'json' } }), null, 2),
      'application/json',
      `${toFileName(title)}.json`,
    );
}

function save(content: string, type: string, name: string): void {
  saveBlob(new Blob([content], { type: `${type};charset=utf-8` }), name);
}
