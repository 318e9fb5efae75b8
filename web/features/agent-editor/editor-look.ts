import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** The page's own colours: its variables reach into the shadow root, and so does a change of theme. */
export const editorLook = EditorView.theme({
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
export const jsonColours = ViewPlugin.fromClass(
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
