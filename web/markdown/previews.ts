import { createContext } from 'react';

/** What a code block can be shown as, besides as text. */
export type PreviewKind = 'html' | 'svg' | 'mermaid';

export interface PreviewSource {
  readonly kind: PreviewKind;
  readonly text: string;
}

/** Opens a preview beside the conversation. Null where there is none: code stays text there. */
export const OpenPreview = createContext<((source: PreviewSource) => void) | null>(null);

/** Keeps a block of code as a file. Null where there is no such thing. */
export const SaveCode = createContext<((code: { language: string; text: string }) => void) | null>(null);

/** How a finished block of code can be shown. */
export function previewKindOf(language: string, code: string): PreviewKind | null {
  switch (language.trim().toLowerCase().split(/\s/, 1)[0]) {
    case 'mermaid':
      return 'mermaid';
    case 'svg':
      return 'svg';
    case 'html':
      return 'html';
    case 'xml':
      return /^\s*(?:<\?xml[^>]{0,200}>\s*)?<svg[\s>]/.test(code) ? 'svg' : null;
    default:
      return null;
  }
}

/** The same for a file, by the ending of its name. */
export function previewKindOfName(name: string, contents: string): PreviewKind | null {
  const ending = endingOf(name);
  return previewKindOf(ending === 'mmd' ? 'mermaid' : ending === 'htm' ? 'html' : ending, contents);
}

export function endingOf(name: string): string {
  return /\.([^./\\\s]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
