import { language, useText } from '../../i18n/text.ts';
import { chooseLanguage, LANGUAGES, type LanguageId } from '../../state/languages.ts';
import { setTheme, type ThemeChoice, useAppearance } from '../../state/theme.ts';

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

/** Whoever reads has no settings here, except for how it looks to them. */
export function Looks() {
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
