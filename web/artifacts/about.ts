import type { ArtifactSummary } from '../../contract/artifacts.ts';
import type { ViewLayout } from '../../contract/views.ts';
import { useText } from '../i18n/panel-words.ts';
import { plainSnippet } from '../markdown/plain-snippet.tsx';

/** The line below a name: the beginning of what is in it, without Markdown; of a view, how it is shown. */
export function useAbout({ kind, snippet }: ArtifactSummary): string {
  const text = useText();
  if (kind !== 'view') return plainSnippet(snippet);
  const layout = LAYOUTS.find((one) => snippet.startsWith(one));
  return layout === undefined ? snippet : text(`view.layout.${layout}`);
}

const LAYOUTS = ['table', 'board', 'list', 'calendar'] as const satisfies readonly ViewLayout[];
