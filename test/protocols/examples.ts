import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DOCS = path.resolve(import.meta.dirname, '../../docs');

export interface Example {
  /** Of the guide it stands in. */
  readonly file: string;
  /** Empty for commands. */
  readonly language: string;
  readonly text: string;
}

/** What stands between three backticks, in the order of the guides. */
export function allExamples(): Example[] {
  return readdirSync(DOCS)
    .filter((file) => file.endsWith('.md'))
    .flatMap(examplesIn);
}

/** The one example of a guide in that language which holds these words. */
export function exampleIn(file: string, language: string, words: string): string {
  const found = examplesIn(file).filter((each) => each.language === language && each.text.includes(words));
  if (found.length !== 1) throw new Error(`${file} has ${found.length} such examples`);
  return found[0]!.text;
}

function examplesIn(file: string): Example[] {
  const blocks = readFileSync(path.join(DOCS, file), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...blocks].map(([, language = '', text = '']) => ({ file, language, text }));
}
