import { useIsFetching, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useRemoteVoice, useVoiceSupport } from '../../features/composer/voice/voice-support.ts';
import { ShareLinks } from '../../features/shares/share-links.tsx';
import { useShares } from '../../features/shares/use-shares.ts';
import type { PageTextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/page-words.ts';
import { language } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { chooseLanguage, LANGUAGES, type LanguageId } from '../../state/languages.ts';
import { setNotifications, wantsNotifications } from '../../state/notifications.ts';
import { type Density, setDensity, setTheme, type ThemeChoice, useAppearance } from '../../state/theme.ts';
import { cx } from '../../ui/cx.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Loaded, Page, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { Choice, Switch } from './choice.tsx';
import { Grants } from './grants.tsx';
import { McpServers } from './mcp-servers.tsx';
import { Providers } from './providers.tsx';
import { PushDevices } from './push-devices.tsx';
import { SignIns } from './sign-ins.tsx';

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
  'webhooks',
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
          <Webhooks />
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

function Webhooks() {
  const text = useText();
  return (
    <Section id="webhooks" title={text('settings.webhooks')} hint={text('settings.webhooksHint')}>
      <Link to="/webhooks" className="touch-link text-link hover:underline">
        {text('settings.openWebhooks')}
      </Link>
    </Section>
  );
}

function About() {
  const text = useText();
  const { client } = useLiveConnection();
  const configuration = useQuery({ queryKey: ['configuration'], queryFn: () => client.call('getConfiguration') });
  return (
    <Section id="about" title={text('settings.about')}>
      <Loaded query={configuration}>{({ version }) => <p>{text('settings.version', { version })}</p>}</Loaded>
      <p className="mb-3 max-w-[62ch] text-fg-2">{text('settings.aboutHint')}</p>
    </Section>
  );
}

/** Everything that others can read under a link. */
function SharedLinks() {
  const text = useText();
  const shares = useShares();
  return (
    <Section id="shares" title={text('settings.shares')} hint={text('settings.sharesHint')}>
      <Loaded query={shares}>
        {({ shares: list, publicUrl }) => (
          <>
            {list.length === 0 && <p className="text-fg-2">{text('settings.noShares')}</p>}
            <ShareLinks label={text('settings.shares')} shares={list} publicUrl={publicUrl} named />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** What this browser can do with speech here, and where the sound goes. */
function VoiceSettings() {
  const text = useText();
  const support = useVoiceSupport();
  const [remote, allowRemote] = useRemoteVoice();
  const canSpeak = 'speechSynthesis' in globalThis;
  return (
    <Section id="voice" title={text('settings.voice')}>
      <dl className="mb-3 grid grid-cols-[minmax(0,128px)_1fr] gap-x-4 gap-y-1.5">
        <dt className="text-fg-2">{text('settings.dictation')}</dt>
        <dd>{text(support ? explanationHere(support.explanation) : 'app.loading')}</dd>
        <dt className="text-fg-2">{text('settings.readingAloud')}</dt>
        <dd>{text(canSpeak ? 'settings.readingAloudHere' : 'settings.readingAloudUnable')}</dd>
      </dl>
      <Switch label={text('settings.remoteVoice')} checked={remote} onChange={allowRemote} />
    </Section>
  );
}

/** The switch that the composer's explanation leads to stands right here. */
function explanationHere(explanation: PageTextKey): PageTextKey {
  return explanation === 'composer.voice.none.notAllowed' ? 'settings.dictationNotAllowed' : explanation;
}

/** The browser is asked only when the person has asked for it. */
function NotificationSettings() {
  const text = useText();
  const [on, setOn] = useState(wantsNotifications);
  const obstacle = whyNot();
  return (
    <Section id="notifications" title={text('settings.notifications')} hint={text('settings.notificationsHint')}>
      <Switch
        label={text('settings.notify')}
        checked={on}
        disabled={obstacle !== null}
        onChange={(wanted) => void setNotifications(wanted).then(setOn)}
      />
      {obstacle && <p className="text-fg-2">{text(obstacle)}</p>}
      <PushDevices />
    </Section>
  );
}

function whyNot(): PageTextKey | null {
  if (!('Notification' in globalThis)) return 'settings.notifyUnable';
  return Notification.permission === 'denied' ? 'settings.notifyDenied' : null;
}

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const DENSITIES: readonly Density[] = ['cosy', 'compact'];

function AppearanceSettings() {
  const text = useText();
  const { theme, density } = useAppearance();
  return (
    <Section id="appearance" title={text('settings.appearance')} hint={text('settings.appearanceHint')}>
      <Choice
        legend={text('settings.theme')}
        value={theme}
        onChange={setTheme}
        options={THEMES.map((value) => ({ value, label: text(`settings.theme.${value}`) }))}
      />
      <Choice
        legend={text('settings.density')}
        value={density}
        onChange={setDensity}
        options={DENSITIES.map((value) => ({ value, label: text(`settings.density.${value}`) }))}
      />
      <LanguageChoice />
    </Section>
  );
}

/** Each language by its own name, so that a reader who does not know the current language finds theirs. */
function LanguageChoice() {
  const text = useText();
  const choose = (id: LanguageId) => {
    chooseLanguage(id).catch(() => notify({ title: text('error.unknown') }));
  };
  return (
    <Choice
      legend={text('settings.language')}
      value={language() as LanguageId}
      onChange={choose}
      options={LANGUAGES.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
