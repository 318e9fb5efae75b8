import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import type { Extension, TransactionSpec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { DEFINITION_SCHEMA } from './check-definition.ts';
import { type Suggestion, suggestAt, type Vocabulary } from './completion.ts';
import { readLeniently } from './draft.ts';
import { editorLook, jsonColours } from './editor-look.ts';

interface Wishes {
  label: string;
  vocabulary(): Vocabulary;
  onChange(text: string): void;
}

/** Tab is left alone, so that it leads out of the editor as it leads out of any other field. */
export function editorExtensions({ label, vocabulary, onChange }: Wishes): Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    json(),
    jsonColours,
    editorLook,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    autocompletion({ override: [(context) => complete(context, vocabulary())] }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

function complete({ state, pos, explicit }: CompletionContext, vocabulary: Vocabulary): CompletionResult | null {
  const text = state.doc.toString();
  const found = suggestAt(text, pos, DEFINITION_SCHEMA, readLeniently(text), vocabulary);
  const isTyping = found !== null && found.from < pos;
  if (!found || !(explicit || isTyping)) return null;
  return {
    from: found.from,
    to: found.to,
    options: found.options.map((option, index) => toCompletion(option, MOST_BOOST - index)),
  };
}

const MOST_BOOST = 99;

/** In the order in which they come, as far as what is typed fits them alike. */
function toCompletion({ label, insert, detail }: Suggestion, boost: number): Completion {
  return {
    label: insert.startsWith('"') ? `"${label}"` : label,
    displayLabel: label,
    boost: Math.max(boost, 0),
    apply: (view, _, from, to) => view.dispatch(...writing(insert, from, to)),
    ...(detail && { info: detail }),
  };
}

/** The caret goes into what is still empty. */
function writing(insert: string, from: number, to: number): TransactionSpec[] {
  const anchor = from + insert.length - (/(""|\[\]|\{\})$/.test(insert) ? 1 : 0);
  return [{ changes: { from, to, insert }, selection: { anchor }, userEvent: 'input.complete' }];
}
