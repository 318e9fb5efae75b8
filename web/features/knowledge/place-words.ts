import type { KnowledgePlace } from '../../../contract/knowledge.ts';
import { useText } from '../../i18n/knowledge-words.ts';

/** Where in its source a passage is, in the person's language. Empty when nothing is known. */
export function usePlaceWords({ page, headings, lines }: KnowledgePlace): string {
  const text = useText();
  if (page !== null) return text('knowledge.page', { page });
  if (headings.length > 0) return headings.slice(-2).join(' › ');
  return lines === null ? '' : text('knowledge.lines', { from: lines[0], to: lines[1] });
}
