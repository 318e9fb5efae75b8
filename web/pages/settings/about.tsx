import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SignInLink } from '../../../contract/access.ts';
import { useText } from '../../i18n/text.ts';
import { clockTime } from '../../i18n/time.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/toast.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { Loaded, Section } from '../page.tsx';

export function About() {
  const text = useText();
  const { client } = useLiveConnection();
  const health = useQuery({ queryKey: ['health'], queryFn: () => client.health() });
  return (
    <Section id="about" title={text('settings.about')}>
      <Loaded query={health}>{({ version }) => <p>{text('settings.version', { version })}</p>}</Loaded>
      <p className="mb-3 max-w-[62ch] text-fg-2">{text('settings.aboutHint')}</p>
      <Browser />
    </Section>
  );
}

/** This browser's way in, and another's. */
function Browser() {
  const text = useText();
  const { client } = useLiveConnection();
  const [link, setLink] = useState<SignInLink | null>(null);
  const fail = (error: Error) => void notify({ title: error.message });
  const leave = () => client.signOut().then(() => location.assign('/'), fail);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void client.createSignInLink().then(setLink, fail)}>
          {text('settings.anotherBrowser')}
        </Button>
        <Button look="danger" onClick={() => void leave()}>
          {text('settings.signOut')}
        </Button>
      </div>
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
