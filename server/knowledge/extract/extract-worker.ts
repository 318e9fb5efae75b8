import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { toPassages } from './passages.ts';
import {
  ExtractFailure,
  type ExtractReply,
  type ExtractRequest,
  type FoundPassage,
  type PlacedLine,
} from './protocol.ts';
import { decodeText, markdownLines, textLines } from './text.ts';

const BATCH_CHARACTERS = 32_000;
const TELL_EVERY_MS = 200;

const request = workerData as ExtractRequest;
let pages: number | null = null;
let told = Date.now();

// Awaited by the process that started this thread.
void extract().then(
  (reply) => tell(reply),
  (error: unknown) => tell(failureOf(error)),
);

async function extract(): Promise<ExtractReply> {
  let batch: FoundPassage[] = [];
  let [characters, total] = [0, 0];
  for await (const { text, place, fraction } of toPassages(tellingProgress(await linesOf(request)))) {
    batch.push({ text, place });
    characters += text.length;
    total += 1;
    if (characters < BATCH_CHARACTERS && Date.now() - told < TELL_EVERY_MS) continue;
    tell({ type: 'passages', passages: batch, fraction });
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) tell({ type: 'passages', passages: batch, fraction: 1 });
  return total === 0 ? { type: 'failed', problem: 'no_text' } : { type: 'done', pages };
}

/** Pages without text make no passages, but they are progress. */
async function* tellingProgress(lines: AsyncIterable<PlacedLine> | Iterable<PlacedLine>): AsyncGenerator<PlacedLine> {
  for await (const line of lines) {
    if (Date.now() - told >= TELL_EVERY_MS) tell({ type: 'passages', passages: [], fraction: line.fraction });
    yield line;
  }
}

async function linesOf({ file, format }: ExtractRequest): Promise<AsyncIterable<PlacedLine> | Iterable<PlacedLine>> {
  const bytes = readFileSync(file);
  switch (format) {
    case 'pdf':
      return pagesOf(bytes);
    case 'docx':
      return markdownLines((await import('./docx.ts')).docxMarkdown(bytes), false);
    case 'html':
      return htmlLines(decodeText(bytes, true));
    case 'markdown':
      return markdownLines(decodeText(bytes), true);
    case 'text':
      return textLines(decodeText(bytes));
    default:
      return format satisfies never;
  }
}

async function* pagesOf(bytes: Buffer): AsyncGenerator<PlacedLine> {
  const { pdfLines } = await import('./pdf.ts');
  pages = yield* pdfLines(new Uint8Array(bytes), request.pages);
}

async function htmlLines(html: string): Promise<Iterable<PlacedLine>> {
  const { readPage } = await import('../../tools/plugins/web/html-text.ts');
  return markdownLines(readPage(html, 'about:blank').text, false);
}

function failureOf(error: unknown): ExtractReply {
  if (!(error instanceof ExtractFailure)) return { type: 'failed', problem: 'unreadable' };
  const { problem, pages: found } = error;
  return { type: 'failed', problem, ...(found !== undefined && { pages: found }) };
}

function tell(reply: ExtractReply): void {
  told = Date.now();
  parentPort!.postMessage(reply);
}
