import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Share } from '../../../contract/shares.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { useText } from '../../i18n/text.ts';
import { ShareLink } from './share-link.tsx';

interface Props {
  label: string;
  shares: readonly Share[];
  /** One that was made just now: it comes to the keyboard. */
  made?: string | null;
  /** Whether they are links to several sessions, and so say to which. */
  named?: boolean;
}

/** Links there are; each can be copied, looked at and taken back. Says in words what was done. */
export function ShareLinks({ label, shares, made = null, named = false }: Props) {
  const text = useText();
  const list = useRef<HTMLDivElement>(null);
  const { words, say } = useSaying();
  const taken = () => {
    list.current?.focus();
    say(text('share.takenBack'));
  };
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      <p role="status" className="min-h-5 text-fg-2">
        {words}
      </p>
      <ul aria-label={label} className="divide-y divide-line border-y border-line empty:hidden">
        {shares.map((share) => (
          <ShareLink key={share.id} share={share} isNew={share.id === made} say={say} onTaken={taken}>
            {named && <SessionLink share={share} />}
          </ShareLink>
        ))}
      </ul>
    </div>
  );
}

function SessionLink({ share: { sessionId, title } }: { share: Share }) {
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="touch-link font-medium [overflow-wrap:anywhere] hover:underline"
    >
      {sessionTitle(title)}
    </Link>
  );
}

/** The same words twice are said twice. */
function useSaying(): { words: string; say(words: string): void } {
  const [words, setWords] = useState('');
  const say = (next: string) => {
    setWords('');
    requestAnimationFrame(() => setWords(next));
  };
  return { words, say };
}
