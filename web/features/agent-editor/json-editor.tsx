import { setDiagnostics } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useText } from '../../i18n/agent-words.ts';
import { editorExtensions } from './codemirror.ts';
import type { Vocabulary } from './completion.ts';
import type { PlacedProblem } from './problems.ts';

interface Props {
  value: string;
  onChange(value: string): void;
  problems: readonly PlacedProblem[];
  vocabulary: Vocabulary;
  label: string;
}

/** A name of its own: seen from outside, keys come from the host and not from the text in it. */
const Host = 'json-editor' as 'div';

/** The text of a definition. It lives in a shadow root, where its styles need no exception from the page's policy. */
export function JsonEditor({ value, onChange, problems, vocabulary, label }: Props) {
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ value, onChange, vocabulary });
  latest.current = { value, onChange, vocabulary };
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      doc: latest.current.value,
      root,
      parent: root,
      extensions: editorExtensions({
        label,
        vocabulary: () => latest.current.vocabulary,
        onChange: (next) => {
          // At once: a page that lags behind would put its older text over what was typed since.
          if (next !== latest.current.value) flushSync(() => latest.current.onChange(next));
        },
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useEffect(() => {
    const current = view.current!.state.doc;
    if (current.toString() !== value)
      view.current!.dispatch({ changes: { from: 0, to: current.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const { state } = view.current!;
    const end = state.doc.length;
    const marks = problems.map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      severity: 'error' as const,
      message,
    }));
    view.current!.dispatch(setDiagnostics(state, marks));
  }, [problems]);
  return (
    <>
      <Host
        ref={host}
        className="block overflow-hidden rounded-lg border border-line-strong bg-surface outline-accent focus-within:outline-2"
      />
      <p className="mt-1 text-xs text-fg-3">{text('agents.jsonKeys')}</p>
    </>
  );
}
