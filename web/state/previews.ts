import type { PreviewSource } from '../markdown/previews.ts';
import { recall, remember } from './device-memory.ts';
import { openPanel } from './open-panels.ts';

const KEY = 'parley.previews';
const KEPT = 5;
/** Longer ones are there until the page is closed. */
const MOST_KEPT_CHARACTERS = 200_000;

const shown = new Map<string, PreviewSource>();

/** Shows code that a model has written beside the conversation. The same code opens the same panel. */
export function openPreview(sessionId: string, source: PreviewSource): void {
  const id = idOf(source);
  shown.set(id, source);
  if (source.text.length <= MOST_KEPT_CHARACTERS) {
    const { [id]: _, ...others } = recall<Readonly<Record<string, unknown>>>(KEY, {});
    remember(KEY, Object.fromEntries([...Object.entries(others).slice(1 - KEPT), [id, source]]));
  }
  openPanel(sessionId, 'preview', { artifactId: id });
}

/** Null: it was shown before the page was loaded and was not kept. */
export function previewOf(id: string): PreviewSource | null {
  const known = shown.get(id);
  if (known) return known;
  const { [id]: kept } = recall<Readonly<Record<string, unknown>>>(KEY, {});
  return isSource(kept) ? kept : null;
}

function isSource(kept: unknown): kept is PreviewSource {
  const { kind, text } = (kept ?? {}) as Record<string, unknown>;
  return typeof text === 'string' && (kind === 'html' || kind === 'svg' || kind === 'mermaid');
}

/** The same for the same code. It names a panel on this device and is no secret. */
function idOf({ kind, text }: PreviewSource): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return `preview-${kind}-${hash.toString(36)}-${text.length}`;
}
