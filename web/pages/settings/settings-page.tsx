import { useIsFetching } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useText } from '../../i18n/text.ts';
import { cx } from '../../ui/cx.ts';
import { Page } from '../page.tsx';
import { About } from './about.tsx';
import { AppearanceSettings } from './appearance.tsx';
import { Grants } from './grants.tsx';
import { McpServers } from './mcp-servers.tsx';
import { NotificationSettings } from './notifications.tsx';
import { Providers } from './providers.tsx';
import { SharedLinks } from './shared-links.tsx';
import { VoiceSettings } from './voice.tsx';

const Usage = lazy(() => import('./usage.tsx').then((module) => ({ default: module.Usage })));

const SECTIONS = [
  'appearance',
  'notifications',
  'voice',
  'grants',
  'shares',
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
          <McpServers />
          <Suspense fallback={<div id="usage" className="h-60" />}>
            <Usage />
          </Suspense>
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
  return (
    <nav
      aria-label={text('settings.sections')}
      className="sticky top-0 z-10 -mx-4 flex-none self-start overflow-x-auto bg-bg px-4 py-1 max-lg:w-[calc(100%+32px)] lg:top-5 lg:w-44 lg:px-0"
    >
      <ul className="flex gap-1 lg:flex-col lg:pl-4">
        {SECTIONS.map((section) => (
          <li key={section}>
            <Link
              to="/settings"
              hash={section}
              aria-current={hash === section ? 'true' : undefined}
              className={cx(
                'flex h-7 items-center rounded-md px-2 whitespace-nowrap hover:bg-hover',
                hash === section ? 'bg-hover text-fg' : 'text-fg-2',
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
