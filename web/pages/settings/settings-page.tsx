import { useIsFetching } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Page } from '../../ui/page.tsx';
import { About } from './about.tsx';
import { AppearanceSettings } from './appearance.tsx';
import { Grants } from './grants.tsx';
import { McpServers } from './mcp-servers.tsx';
import { NotificationSettings } from './notifications.tsx';
import { Providers } from './providers.tsx';
import { SharedLinks } from './shared-links.tsx';
import { SignIns } from './sign-ins.tsx';
import { VoiceSettings } from './voice.tsx';

const Usage = lazyPart(async () => (await import('./usage.tsx')).Usage, {
  loading: () => <div id="usage" className="h-60" />,
});

const SECTIONS = [
  'appearance',
  'notifications',
  'voice',
  'grants',
  'shares',
  'signIns',
  'mcp',
  'usage',
  'providers',
  'about',
] as const;

/** Everything about this device and this server that a person can look at or change. */
export function SettingsPage() {
  const text = useText();
  useScrollToHash();
  return (
    <Page title={text('nav.settings')} width="full">
      <div className="flex flex-col gap-x-10 gap-y-4 lg:flex-row">
        <SectionNav />
        <div className="min-w-0 max-w-[760px] flex-1">
          <AppearanceSettings />
          <NotificationSettings />
          <VoiceSettings />
          <Grants />
          <SharedLinks />
          <SignIns />
          <McpServers />
          <Usage />
          <Providers />
          <About />
        </div>
      </div>
    </Page>
  );
}

function SectionNav() {
  const text = useText();
  const hash = useLocation({ select: (location) => location.hash });
  // The address follows a moment after the click.
  const [clicked, setClicked] = useState(hash);
  useEffect(() => setClicked(hash), [hash]);
  const nav = useRef<HTMLElement>(null);
  // On a narrow page the sections stand in a line that is longer than the page.
  useEffect(() => {
    const link = nav.current?.querySelector(`a[href$="#${clicked}"]`);
    if (clicked) link?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [clicked]);
  return (
    <nav
      ref={nav}
      aria-label={text('settings.sections')}
      className="sticky top-0 z-10 -mx-4 flex-none self-start overflow-x-auto bg-bg px-4 py-1 max-lg:w-[calc(100%+32px)] lg:top-5 lg:w-56 lg:px-0"
    >
      <ul className="flex gap-1 lg:flex-col lg:pl-4">
        {SECTIONS.map((section) => (
          <li key={section}>
            <Link
              to="/settings"
              hash={section}
              activeOptions={{ includeHash: true }}
              onClick={() => setClicked(section)}
              className={cx(
                'flex h-7 items-center border-b-2 px-2 whitespace-nowrap lg:border-b-0 lg:border-l-2 pointer-coarse:h-11',
                clicked === section
                  ? 'border-accent font-medium text-fg'
                  : 'border-transparent text-fg-2 hover:text-fg',
              )}
            >
              {text(`settings.${section}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Again when everything has arrived: what stands above may have grown meanwhile. */
function useScrollToHash(): void {
  const hash = useLocation({ select: (location) => location.hash });
  const isComplete = useIsFetching() === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change that matters
  useEffect(() => {
    if (hash) document.getElementById(hash)?.scrollIntoView();
  }, [hash, isComplete]);
}
