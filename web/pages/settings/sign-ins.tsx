import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BrowserSignIn, SignInLink } from '../../../contract/access.ts';
import { clockTime, shortDate } from '../../i18n/formats.ts';
import { text as translate, useText } from '../../i18n/page-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Loaded, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { useCopy } from '../../ui/use-copy.ts';

/** Browsers that are signed in, with a way to end each sign-in and to begin another. */
export function SignIns() {
  const text = useText();
  const { client } = useLiveConnection();
  const signIns = useQuery({ queryKey: ['sign-ins'], queryFn: () => client.call('listSignIns'), staleTime: 0 });
  return (
    <Section id="signIns" title={text('settings.signIns')} hint={text('settings.signInsHint')}>
      <Loaded query={signIns}>
        {({ signIns: list }) => (
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {list.map((signIn) => (
              <SignInRow key={signIn.id} signIn={signIn} />
            ))}
          </ul>
        )}
      </Loaded>
      <AnotherBrowser />
    </Section>
  );
}

function SignInRow({ signIn }: { signIn: BrowserSignIn }) {
  const text = useText();
  const { createdAt, isActive, isCurrent } = signIn;
  const browser = browserText(signIn.browser);
  const end = useEnd(signIn);
  const label = text('settings.signOutOf', { browser });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="min-w-0 flex-1">
        {browser} {isCurrent && <Badge>{text('settings.thisBrowser')}</Badge>}
        <span className="block text-xs text-fg-3">
          {text('settings.signedInSince', { date: shortDate(createdAt) })}
          {isActive && ` · ${text('settings.signInActive')}`}
        </span>
      </span>
      <Button look="danger" aria-label={isCurrent ? undefined : label} onClick={end}>
        {text('settings.signOut')}
      </Button>
    </li>
  );
}

/** The server names browsers in English, as `Firefox on Linux`. */
function browserText(name: string): string {
  const [browser = '', system] = name.split(' on ');
  const known = browser === 'Unknown browser' ? translate('settings.unknownBrowser') : browser;
  return system ? translate('settings.browserOn', { browser: known, system }) : known;
}

function useEnd({ id, isCurrent, browser }: BrowserSignIn): () => void {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const fail = (error: Error) => void notify({ title: error.message });
  if (isCurrent) return () => void client.call('signOut').then(() => location.assign('/'), fail);
  return () =>
    void client
      .call('endSignIn', { signInId: id })
      .then(() => notify({ title: text('settings.signedOut', { browser: browserText(browser) }) }), fail)
      .finally(() => queries.invalidateQueries({ queryKey: ['sign-ins'] }));
}

function AnotherBrowser() {
  const text = useText();
  const { client } = useLiveConnection();
  const [link, setLink] = useState<SignInLink | null>(null);
  const fail = (error: Error) => void notify({ title: error.message });
  return (
    <>
      <Button className="mt-3" onClick={() => void client.call('createSignInLink').then(setLink, fail)}>
        {text('settings.anotherBrowser')}
      </Button>
      {link && <Link link={link} />}
    </>
  );
}

function Link({ link: { url, expiresAt } }: { link: SignInLink }) {
  const text = useText();
  const { copied, copy } = useCopy();
  return (
    <div role="status" className="mt-3 rounded-lg border border-line bg-surface p-3">
      <p className="text-fg-2">{text('settings.linkOnce', { time: clockTime(expiresAt) })}</p>
      <div className="mt-1.5 flex items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{url}</code>
        <Button onClick={() => copy(url)}>{text(copied ? 'copy.done' : 'message.copy')}</Button>
      </div>
    </div>
  );
}
