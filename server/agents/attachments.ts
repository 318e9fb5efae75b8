import type { ModelImage, ModelMessage } from '../models/types.ts';
import type { AttachedFile, AttributedMessage, FileContents } from './agent.ts';
import { imagesAmong } from './prompt/attached-files.ts';
import { imagesOf } from './prompt/reader.ts';

/** Providers take no more than this in one request; the newest count. */
const MOST_IMAGES = 20;
const MOST_IMAGE_BYTES = 20_000_000;

type Asked = Extract<ModelMessage, { role: 'user' }>;

/** Brings what is in attached files to where it is read. */
export class Attachments {
  readonly #contents: FileContents;
  /** Texts are read once and live as long as the message they belong to. */
  readonly #filled = new WeakMap<AttributedMessage, AttributedMessage>();

  constructor(contents: FileContents) {
    this.#contents = contents;
  }

  async withTexts(messages: readonly AttributedMessage[]): Promise<readonly AttributedMessage[]> {
    if (!messages.some(({ files }) => files)) return messages;
    return Promise.all(messages.map((message) => this.#fill(message)));
  }

  async #fill(message: AttributedMessage): Promise<AttributedMessage> {
    if (!message.files) return message;
    const known = this.#filled.get(message);
    if (known) return known;
    const files = await Promise.all(message.files.map((file) => this.#readText(file)));
    const filled = { ...message, files };
    this.#filled.set(message, filled);
    return filled;
  }

  async #readText(file: AttachedFile): Promise<AttachedFile> {
    if (file.kind !== 'text' || file.fileId === null) return file;
    return { ...file, text: await this.#contents.text(file.fileId) };
  }

  /** Images are read from disk for each request, so that none stay in memory between requests. */
  async withImages(messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]> {
    if (!messages.some((message) => imagesOf(message).length > 0)) return messages;
    const shown = newestThatFit(messages);
    return Promise.all(messages.map((message) => this.#show(message, shown)));
  }

  /** What is in one file; null when that is gone. */
  async contentOf({ fileId }: AttachedFile): Promise<Buffer | null> {
    const data = fileId === null ? null : await this.#contents.base64(fileId);
    return data === null ? null : Buffer.from(data, 'base64');
  }

  /** The images of one message, for agents that are not models. */
  async imagesOf({ files }: AttributedMessage): Promise<ModelImage[]> {
    const loaded = await Promise.all(imagesAmong(files ?? [], ['image']).map((file) => this.#loadImage(file)));
    return loaded.filter((image) => image !== null);
  }

  async #show(message: ModelMessage, shown: ReadonlySet<AttachedFile>): Promise<ModelMessage> {
    const wanted = imagesOf(message);
    if (message.role !== 'user' || wanted.length === 0) return message;
    const loaded = await Promise.all(wanted.filter((file) => shown.has(file)).map((file) => this.#loadImage(file)));
    const images = loaded.filter((image) => image !== null);
    return images.length === wanted.length ? { ...message, images } : withoutSome(message, images);
  }

  async #loadImage({ fileId, mediaType }: AttachedFile): Promise<ModelImage | null> {
    const data = await this.#contents.base64(fileId!);
    return data === null ? null : { mediaType, data };
  }
}

function newestThatFit(messages: readonly ModelMessage[]): Set<AttachedFile> {
  const fitting = new Set<AttachedFile>();
  let bytes = 0;
  for (const file of messages.flatMap(imagesOf).reverse()) {
    bytes += file.bytes;
    if (fitting.size === MOST_IMAGES || bytes > MOST_IMAGE_BYTES) break;
    fitting.add(file);
  }
  return fitting;
}

function withoutSome(message: Asked, images: readonly ModelImage[]): Asked {
  const text = `${message.text}\n\n[Some images of this message are no longer shown.]`;
  return { ...message, text, ...(images.length > 0 && { images }) };
}
