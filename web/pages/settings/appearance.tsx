import { language, useText } from '../../i18n/text.ts';
import { chooseLanguage, LANGUAGES, type LanguageId } from '../../state/languages.ts';
import { type Density, setDensity, setTheme, type ThemeChoice, useAppearance } from '../../state/theme.ts';
import { Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
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
      <LanguageChoice />
    </Section>
  );
}

/** Each language by its own name, so that whoever cannot read the page finds the way out of it. */
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
