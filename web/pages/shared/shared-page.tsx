import { type ReactNode, useEffect, useState } from 'react';
import type { RouteClient } from '../../../client/route-client.ts';
import { AppError } from '../../../contract/errors.ts';
import type { SharedSession } from '../../../contract/shares.ts';
import type { TextKey } from '../../i18n/en.ts';
import { clockTime, shortDate } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { language } from '../../i18n/text.ts';
import { chooseLanguage, LANGUAGES, type LanguageId } from '../../state/languages.ts';
import { setTheme, type ThemeChoice, useAppearance } from '../../state/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/page.tsx';
import { SharedTranscript } from './shared-transcript.tsx';
import { stateOf, useReading } from './use-reading.ts';

/** What a session contained when it was shared, read-only, for anyone with the link. */
export function SharedPage({ client, token }: { client: RouteClient; token: string }) {
  const text = useText();
  const { reading, again } = useReading(client, token);
  return (
    <div className="mx-auto flex min-h-full w-full max-w-[calc(var(--measure)+32px)] flex-col px-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5 print:hidden">
        <img src="/icon.svg" alt="" width={20} height={20} />
        <span className="font-semibold">{text('app.name')}</span>
        <Looks />
      </header>
      {reading.state === 'read' ? (
        <Copy shared={reading.shared} client={client} token={token} />
      ) : (
        <main className="grid flex-1 place-items-center pb-24">
          {reading.state === 'reading' && <p role="status">{text('app.loading')}</p>}
          {reading.state === 'nowhere' && <Nowhere />}
          {reading.state === 'failed' && <Failed again={again} />}
        </main>
      )}
    </div>
  );
}

interface CopyProps {
  shared: SharedSession;
  client: RouteClient;
  token: string;
}

function Copy({ shared, client, token }: CopyProps) {
  const text = useText();
  const { title, sharedAt, messages, canCopy } = shared;
  useTabTitle(title);
  return (
    <>
      <main className="flex-1">
        <div className="border-b border-line pt-2 pb-4">
          <h1 dir="auto" className="text-xl leading-snug font-semibold [overflow-wrap:anywhere]">
            {title}
          </h1>
          <p className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-fg-2">
            <Badge>{text('shared.readOnly')}</Badge>
            <time dateTime={sharedAt}>
              {text('shared.at', { date: shortDate(sharedAt), time: clockTime(sharedAt) })}
            </time>
          </p>
          <GoOn client={client} token={token} canCopy={canCopy} />
        </div>
        <SharedTranscript messages={messages} />
      </main>
      <footer className="border-t border-line pt-4 pb-10 text-fg-2">
        <p>{text('shared.end')}</p>
        {canCopy && <GoOn client={client} token={token} canCopy again />}
      </footer>
    </>
  );
}

function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
}

/** The same words whether there never was anything, or is not any more. */
function Nowhere() {
  const text = useText();
  return <Notice title={text('shared.nowhere')}>{text('shared.nowhereHint')}</Notice>;
}

function Failed({ again }: { again(): void }) {
  const text = useText();
  return (
    <Notice title={text('shared.failed')} action={<Button onClick={again}>{text('error.retry')}</Button>}>
      {text('shared.failedHint')}
    </Notice>
  );
}

function Notice({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  useTabTitle(title);
  return (
    <div role="alert" className="flex max-w-sm flex-col items-center gap-2 p-4 text-center">
      <h1 className="text-lg font-semibold">{title}</h1>
      <p className="text-md text-fg-2">{children}</p>
      {action}
    </div>
  );
}

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

/** Readers have no settings here except for the theme. */
function Looks() {
  const text = useText();
  const { theme } = useAppearance();
  return (
    <div className="ml-auto flex flex-wrap gap-1">
      <Select
        label={text('settings.theme')}
        value={theme}
        onChange={setTheme}
        options={THEMES.map((value) => ({ value, name: text(`settings.theme.${value}`) }))}
      />
      <Select
        label={text('settings.language')}
        value={language() as LanguageId}
        // Without its words it stays what it was.
        onChange={(id) => void chooseLanguage(id).catch(() => undefined)}
        options={LANGUAGES.map(({ id, name }) => ({ value: id, name }))}
      />
    </div>
  );
}

interface SelectProps<T extends string> {
  label: string;
  value: T;
  onChange(value: T): void;
  options: readonly { readonly value: T; readonly name: string }[];
}

function Select<T extends string>({ label, value, onChange, options }: SelectProps<T>) {
  return (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChange(event.target.value as T)}
      className="h-7 cursor-pointer rounded-md bg-transparent px-1 text-xs text-fg-3 hover:bg-hover hover:text-fg pointer-coarse:h-11"
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  );
}

interface Props {
  client: RouteClient;
  token: string;
  canCopy: boolean;
  /** Offered once more: where one has come to the end. */
  again?: boolean;
}

/** A reader who is signed in can copy the session into their own; others are told how. */
function GoOn({ client, token, canCopy, again = false }: Props) {
  const text = useText();
  const { problem, isBusy, copy } = useCopying(client, token);
  if (!canCopy) return <p className="mt-3 text-fg-2 print:hidden">{text('shared.signInHint')}</p>;
  return (
    <div className="mt-3 print:hidden">
      <Button look={again ? 'outline' : 'primary'} disabled={isBusy} onClick={copy}>
        {text(isBusy ? 'shared.copying' : 'shared.copy')}
      </Button>
      {!again && <p className="mt-1 text-xs text-fg-3">{text('shared.copyHint')}</p>}
      <p role="alert" className="mt-1 text-danger empty:hidden">
        {problem && text(problem)}
      </p>
    </div>
  );
}

function useCopying(client: RouteClient, token: string) {
  const [problem, setProblem] = useState<TextKey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const copy = () => {
    setBusy(true);
    setProblem(null);
    client.call('copyShare', { token }).then(
      ({ id }) => location.assign(`/sessions/${encodeURIComponent(id)}`),
      (error: unknown) => {
        setBusy(false);
        setProblem(problemOf(error));
      },
    );
  };
  return { problem, isBusy, copy };
}

function problemOf(error: unknown): TextKey {
  if (error instanceof AppError && error.code === 'unauthorized') return 'shared.signInHint';
  return stateOf(error) === 'nowhere' ? 'shared.nowhereHint' : 'shared.failedHint';
}
