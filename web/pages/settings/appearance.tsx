import { type Density, setDensity, setTheme, type ThemeChoice, useAppearance } from '../../app/theme.ts';
import { useText } from '../../i18n/text.ts';
import { Section } from '../page.tsx';
import { Choice } from './choice.tsx';

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const DENSITIES: readonly Density[] = ['cosy', 'compact'];

export function AppearanceSettings() {
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
    </Section>
  );
}
