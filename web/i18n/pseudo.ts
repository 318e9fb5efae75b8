import { type Catalogue, en } from './en.ts';
import { enAgents } from './en-agents.ts';
import { enKnowledge } from './en-knowledge.ts';
import { enPages } from './en-pages.ts';
import { enPanels } from './en-panels.ts';
import { enSchedules } from './en-schedules.ts';
import { enWebhooks } from './en-webhooks.ts';

const PLAIN = 'aceinouyACEINOUY';
const ACCENTED = 'áçéíñóúýÁÇÉÍÑÓÚÝ';

/** How much longer words become than in English: about as much as in the longest of the usual languages. */
const GROWTH = 0.35;

/**
 * English in disguise: what shows no accents was never put into the catalogue, what shows no closing
 * bracket is cut off, and what breaks the page would break it in another language too.
 */
export const pseudo = Object.fromEntries(
  Object.entries({ ...en, ...enAgents, ...enKnowledge, ...enPages, ...enPanels, ...enSchedules, ...enWebhooks }).map(
    ([key, words]) => [key as keyof Catalogue, disguise(words)],
  ),
) as Catalogue;

export function disguise(words: string): string {
  const padding = '~'.repeat(Math.ceil(words.length * GROWTH));
  return `[${words
    .split(/(\{\w+[|}])/)
    .map(accent)
    .join('')}${padding}]`;
}

/** Every second piece is a placeholder or its beginning, which stays as it is. */
function accent(piece: string, index: number): string {
  if (index % 2 === 1) return piece;
  return [...piece].map((letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter).join('');
}
