import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export type ThemeChoice = 'system' | 'light' | 'dark';
export type Density = 'cosy' | 'compact';

interface Appearance {
  readonly theme: ThemeChoice;
  readonly density: Density;
}

/** The same keys that `public/theme.js` reads before the first paint. */
const THEME_KEY = 'parley.theme';
const DENSITY_KEY = 'parley.density';

const dark = matchMedia('(prefers-color-scheme: dark)');
const appearance = createStore<Appearance>()(() => ({ theme: readTheme(), density: readDensity() }));

/** How this device looks; kept on it, and changed in every tab of it. */
export function useAppearance(): Appearance {
  return useStore(appearance);
}

export function setTheme(theme: ThemeChoice): void {
  remember(THEME_KEY, theme === 'system' ? null : theme);
  appearance.setState({ theme });
}

export function setDensity(density: Density): void {
  remember(DENSITY_KEY, density === 'cosy' ? null : density);
  appearance.setState({ density });
}

/** Light or dark, whatever was chosen. */
export function shownTheme(): 'light' | 'dark' {
  const { theme } = appearance.getState();
  if (theme !== 'system') return theme;
  return dark.matches ? 'dark' : 'light';
}

/** Called once: from then on the page follows the choice, the system, and other tabs. */
export function followAppearance(): void {
  show();
  appearance.subscribe(show);
  dark.addEventListener('change', show);
  addEventListener('storage', ({ key }) => {
    if (key === null || key === THEME_KEY || key === DENSITY_KEY)
      appearance.setState({ theme: readTheme(), density: readDensity() });
  });
}

function show(): void {
  const { dataset } = document.documentElement;
  dataset.theme = shownTheme();
  dataset.density = appearance.getState().density;
}

function readTheme(): ThemeChoice {
  const stored = recall(THEME_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function readDensity(): Density {
  return recall(DENSITY_KEY) === 'compact' ? 'compact' : 'cosy';
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A store that is full or forbidden costs only the remembering. */
function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Shown all the same.
  }
}
