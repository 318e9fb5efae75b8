export type HighlightNode = string | { readonly scope?: string; readonly children: readonly HighlightNode[] };

const LARGEST = 20_000;
/** Code nests as deep as its text is long, if it is made to. What is deeper takes the colour of what is around it. */
const DEEPEST = 12;
const KEPT = 200;
const known = new Map<string, readonly HighlightNode[] | null>();

/** The pieces of a text with what they are, as a tree; null when the language is unknown. Loaded when first needed. */
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
  return cutAt(DEEPEST, _emitter.rootNode.children);
}

function cutAt(depth: number, nodes: readonly HighlightNode[]): readonly HighlightNode[] {
  if (depth === 0) return [textOf(nodes)];
  return nodes.map((node) =>
    typeof node === 'string' ? node : { ...node, children: cutAt(depth - 1, node.children) },
  );
}

/** Without recursion: what is left may be thousands deep. */
function textOf(nodes: readonly HighlightNode[]): string {
  let text = '';
  const left = [...nodes].reverse();
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node === 'string') text += node;
    else for (let at = node.children.length - 1; at >= 0; at--) left.push(node.children[at]!);
  }
  return text;
}
