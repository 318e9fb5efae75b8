import { useId } from 'react';

interface Props<T extends string> {
  legend: string;
  options: readonly { readonly value: T; readonly label: string }[];
  value: T;
  onChange(value: T): void;
}

/** One of a few: radio buttons that look like one control. Arrow keys move, as in every group of radio buttons. */
export function Choice<T extends string>({ legend, options, value, onChange }: Props<T>) {
  const name = useId();
  return (
    <fieldset className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 max-sm:flex-col max-sm:items-start">
      <legend className="float-left w-32 flex-none py-1 text-fg-2 max-sm:float-none max-sm:w-full">{legend}</legend>
      <div className="flex rounded-md border border-line bg-surface p-0.5">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex h-6.5 cursor-pointer items-center rounded-sm px-2.5 text-fg-2 has-checked:bg-raised has-checked:font-medium has-checked:text-fg has-checked:ring-1 has-checked:ring-line-strong pointer-coarse:h-10 has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="sr-only"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Yes or no, with what it means. */
export function Switch({
  label,
  checked,
  disabled = false,
  onChange,
}: {
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}) {
  return (
    <label className="flex min-h-7 items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-(--accent)"
      />
      {label}
    </label>
  );
}
