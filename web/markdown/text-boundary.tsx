import { Component, type ReactNode } from 'react';
import { Words } from './words.tsx';

interface Props {
  /** What is shown instead when the children cannot be drawn. */
  text: string;
  children: ReactNode;
}

interface State {
  /** The text whose drawing failed. As long as more is added to it, drawing is not tried again. */
  failed: string | null;
}

/** What cannot be drawn as it should is shown as plain text, and the rest of the page goes on. */
export class TextBoundary extends Component<Props, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(): State {
    return { failed: '' };
  }

  static getDerivedStateFromProps({ text }: Props, { failed }: State): State {
    return { failed: failed !== null && text.startsWith(failed) ? text : null };
  }

  override render(): ReactNode {
    const { text, children } = this.props;
    if (this.state.failed === null) return children;
    return (
      <p data-plain="" dir="auto" className="text-md whitespace-pre-wrap [overflow-wrap:anywhere]">
        <Words text={text} />
      </p>
    );
  }
}
