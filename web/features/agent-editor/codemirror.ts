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
import { bracketMatching, indentOnInput, indentUnit, syntaxTree } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { type Extension, RangeSetBuilder, type TransactionSpec } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { DEFINITION_SCHEMA } from './check-definition.ts';
import { type Suggestion, suggestAt, type Vocabulary } from './completion.ts';
import { readLeniently } from './draft.ts';

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

/** The page's own colours: its variables reach into the shadow root, and so does a change of theme. */
const editorLook = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--fg)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55', minHeight: '320px', maxHeight: '62vh' },
  '.cm-content': { caretColor: 'var(--fg)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--fg-3)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklch, var(--hover) 55%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklch, var(--accent) 30%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--hover)', outline: '1px solid var(--border-strong)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--fg)',
    border: '1px solid var(--border-strong)',
    borderRadius: '7px',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--hover)', color: 'var(--fg)' },
  '.cm-completionInfo': { maxWidth: '280px', padding: '6px 8px', fontFamily: 'var(--font-ui)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--fg)' },
  '.cm-json-name': { color: 'var(--link)' },
  '.cm-json-text': { color: 'color-mix(in oklch, var(--st-active) 80%, var(--fg))' },
  '.cm-json-word': { color: 'var(--delegate)' },
});

const MARKS: Readonly<Record<string, Decoration>> = {
  PropertyName: Decoration.mark({ class: 'cm-json-name' }),
  String: Decoration.mark({ class: 'cm-json-text' }),
  Number: Decoration.mark({ class: 'cm-json-word' }),
  True: Decoration.mark({ class: 'cm-json-word' }),
  False: Decoration.mark({ class: 'cm-json-word' }),
  Null: Decoration.mark({ class: 'cm-json-word' }),
};

/** Colours what is in sight, by what the parser says it is. */
const jsonColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = colour(view);
    }

    update({ docChanged, viewportChanged, startState, state, view }: ViewUpdate) {
      const isParsedFurther = syntaxTree(startState) !== syntaxTree(state);
      if (docChanged || viewportChanged || isParsedFurther) this.decorations = colour(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function colour(view: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = MARKS[node.name];
        if (mark) marks.add(node.from, node.to, mark);
      },
    });
  }
  return marks.finish();
}
