import { type Attachable, IMAGE_FILE_BYTES } from '../../../contract/files.ts';
import type { AttachedFile, AttributedMessage } from '../agent.ts';
import { neutralise } from './from-tag.ts';
import { oneLine } from './one-line.ts';

/** Whether a file goes to its reader as it is, beside the words. */
export type Carries = (file: AttachedFile) => boolean;

/** Words with the files that came with them: texts in full, whatever else there is by its name. */
export function withFiles(
  words: string,
  files: readonly AttachedFile[],
  takes: readonly Attachable[],
  carries: Carries = (file) => isShownAsImage(file, takes),
): string {
  const blocks = files.map((file) => presentFile(file, takes, carries(file)));
  return [words, ...blocks].filter((block) => block !== '').join('\n\n');
}

/** The same for agents that read only text. */
export function spellOut(message: AttributedMessage, takes: readonly Attachable[]): AttributedMessage {
  if (!message.files) return message;
  const { files, ...rest } = message;
  const texts = takes.filter((kind) => kind === 'text');
  return { ...rest, text: withFiles(message.text, files, texts) };
}

/** Which of its files a model is shown as images. */
export function imagesAmong(files: readonly AttachedFile[], takes: readonly Attachable[]): AttachedFile[] {
  return files.filter((file) => isShownAsImage(file, takes));
}

function isShownAsImage({ kind, bytes, fileId }: AttachedFile, takes: readonly Attachable[]): boolean {
  return kind === 'image' && takes.includes('image') && bytes <= IMAGE_FILE_BYTES && fileId !== null;
}

function presentFile(file: AttachedFile, takes: readonly Attachable[], isCarried: boolean): string {
  const isText = file.kind === 'text' && takes.includes('text') && !isCarried;
  if (isText && typeof file.text === 'string') return block(file, file.text);
  const what = `${oneLine(file.name)} (${oneLine(file.mediaType)}, ${file.bytes} bytes)`;
  if (isCarried) return neutralise(`[Attached ${file.kind === 'image' ? 'image' : 'file'}: ${what}]`);
  return neutralise(`[Attached file: ${what}. Its contents are not shown to you.]`);
}

/** Nothing in a file can end its block, or begin one. */
function block({ name, mediaType }: AttachedFile, text: string): string {
  const inside = neutralise(text).replace(FILE_TAG, '&lt;');
  return `<file name="${attribute(name)}" type="${attribute(mediaType)}">\n${inside}\n</file>`;
}

const FILE_TAG = /<(?=[\s/]{0,8}file\b)/gi;

function attribute(value: string): string {
  return oneLine(value).replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
