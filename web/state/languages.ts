import { type Catalogue, en } from '../i18n/en.ts';
import { type ServerCatalogue, setCatalogue } from '../i18n/text.ts';
import { deviceMemory } from './device-memory.ts';

export const LANGUAGES = [
  { id: 'en', name: 'English' },
  { id: 'de', name: 'Deutsch' },
] as const;

export type LanguageId = (typeof LANGUAGES)[number]['id'];

/** `pseudo` is for tests alone, so the settings do not offer it. */
type Loadable = LanguageId | 'pseudo';

const KEY = 'parley.language';

/** English is part of the page; the others are fetched when they are chosen. */
const CATALOGUES: Readonly<Record<Loadable, () => Promise<readonly [Catalogue | typeof en, ServerCatalogue]>>> = {
  en: async () => [en, {}],
  de: async () => [
    (await import('../i18n/de.ts')).de,
    { ...(await import('../i18n/de-server.ts')).deServer, ...(await import('../i18n/de-built-in.ts')).deBuiltIn },
  ],
  pseudo: async () => [(await import('../i18n/pseudo.ts')).pseudo, {}],
};

/** The language asked for last: a slow catalogue must not overtake it. */
let wanted: Loadable = 'en';

/** Called once before the first drawing. The page waits for words at most briefly, then begins in English. */
export async function startLanguage(patience = 500): Promise<void> {
  addEventListener('storage', ({ key }) => {
    if (key === null || key === KEY) show(firstLanguage()).catch(() => undefined);
  });
  const late = new Promise<void>((resolve) => setTimeout(resolve, patience));
  await Promise.race([show(firstLanguage()), late]).catch(() => undefined);
}

/** Speaks this language from now on, here and in the other tabs. Rejects when its words cannot be fetched. */
export async function chooseLanguage(id: LanguageId): Promise<void> {
  await show(id);
  if (wanted === id) deviceMemory.setItem(KEY, id);
}

/** What was chosen on this device, or else the first language of the browser that there is. */
export function pickLanguage(stored: string | null, preferred: readonly string[]): Loadable {
  if (stored !== null && isLoadable(stored)) return stored;
  const bases = preferred.map((tag) => tag.split('-')[0]!.toLowerCase());
  return bases.find(isOffered) ?? 'en';
}

async function show(id: Loadable): Promise<void> {
  wanted = id;
  const [catalogue, server] = await CATALOGUES[id]();
  if (wanted === id) setCatalogue(id, catalogue, server);
}

function firstLanguage(): Loadable {
  return pickLanguage(askedInAddress() ?? deviceMemory.getItem(KEY), navigator.languages);
}

/** `?pseudo` shows the disguise while the app is being developed. */
function askedInAddress(): string | null {
  return import.meta.env.DEV && new URLSearchParams(location.search).has('pseudo') ? 'pseudo' : null;
}

function isLoadable(id: string): id is Loadable {
  return Object.hasOwn(CATALOGUES, id);
}

function isOffered(id: string): id is LanguageId {
  return LANGUAGES.some((language) => language.id === id);
}
