export type HighlightNode = string | { readonly scope?: string; readonly children: readonly HighlightNode[] };

const LARGEST = 60_000;
const KEPT = 200;
const known = new Map<string, readonly HighlightNode[] | null>();

/** The pieces of a text with what they are, as a tree; null when nobody knows the language. Loaded when first needed. */
export async function highlight(code: string, language: string): Promise<readonly HighlightNode[] | null> {
  if (code.length > LARGEST) return null;
  const key = `${language}\n${code}`;
  if (known.has(key)) return known.get(key) ?? null;
  const { highlighter } = await import('./languages.ts');
  const nodes = highlighter.getLanguage(language)
    ? treeOf(highlighter.highlight(code, { language, ignoreIllegals: true }))
    : null;
  known.set(key, nodes);
  if (known.size > KEPT) known.delete(known.keys().next().value!);
  return nodes;
}

/** The library's own tree, so that no HTML is ever made of it. */
function treeOf(result: object): readonly HighlightNode[] {
  const { _emitter } = result as { _emitter: { rootNode: { children: readonly HighlightNode[] } } };
  return _emitter.rootNode.children;
}
