import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { deviceMemory } from './device-memory.ts';

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
  keep(THEME_KEY, theme === 'system' ? null : theme);
  appearance.setState({ theme });
}

export function setDensity(density: Density): void {
  keep(DENSITY_KEY, density === 'cosy' ? null : density);
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
  const stored = deviceMemory.getItem(THEME_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function readDensity(): Density {
  return deviceMemory.getItem(DENSITY_KEY) === 'compact' ? 'compact' : 'cosy';
}

function keep(key: string, value: string | null): void {
  if (value === null) deviceMemory.removeItem(key);
  else deviceMemory.setItem(key, value);
}
