import { EditorView } from '@codemirror/view';
import { useLayoutEffect, useState } from 'react';
import { expect, test } from 'vitest';
import { type RenderResult, render } from 'vitest-browser-react';
import { JsonEditor } from '../../web/features/agent-editor/json-editor.tsx';

const NO_VOCABULARY = { agents: [], templates: [], tools: [] };

/** `onDrawn` comes right after the page was drawn, before anything else it has to do. */
function Owner({ onDrawn }: { onDrawn(value: string): void }) {
  const [value, setValue] = useState('');
  useLayoutEffect(() => queueMicrotask(() => onDrawn(value)), [value, onDrawn]);
  return (
    <>
      <JsonEditor label="Text" value={value} onChange={setValue} problems={[]} vocabulary={NO_VOCABULARY} />
      <button type="button" onClick={() => setValue('theirs')}>
        Take theirs
      </button>
      <output>{value}</output>
    </>
  );
}

function type({ container }: RenderResult, insert: string): void {
  const view = viewIn(container);
  view.dispatch({ changes: { from: view.state.doc.length, insert }, userEvent: 'input.type' });
}

function viewIn(container: Element): EditorView {
  return EditorView.findFromDOM(container.querySelector('json-editor')!.shadowRoot!.querySelector('.cm-editor')!)!;
}

test('what is typed while the page is still drawing the last letter stays', async () => {
  const onDrawn = (value: string) => {
    if (value === 'a') type(screen, 'b');
  };
  const screen: RenderResult = await render(<Owner onDrawn={onDrawn} />);
  type(screen, 'a');
  await expect.element(screen.getByRole('status')).toHaveTextContent('ab');
  expect(viewIn(screen.container).state.doc.toString()).toBe('ab');
});

test('a text that comes from elsewhere takes the place of what is there', async () => {
  const screen = await render(<Owner onDrawn={() => {}} />);
  type(screen, 'mine');
  await expect.element(screen.getByRole('status')).toHaveTextContent('mine');
  await screen.getByRole('button', { name: 'Take theirs' }).click();
  await expect.poll(() => viewIn(screen.container).state.doc.toString()).toBe('theirs');
  await expect.element(screen.getByRole('status')).toHaveTextContent('theirs');
});
