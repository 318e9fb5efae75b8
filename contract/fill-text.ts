/** A sentence inside another one counts as its words. */
export type FillValues = Readonly<Record<string, string | number | { readonly message: string }>>;

/** `{name}` is a value; `{count|file|files}` is the form that goes with a number, the singular first. */
export function fillText(template: string, values: FillValues): string {
  return template
    .replace(PLURAL, (whole, name: string, one: string, other: string) => {
      if (values[name] === undefined) return whole;
      return Number(values[name]) === 1 ? one : other;
    })
    .replace(/\{(\w+)\}/g, (whole, name: string) => wordsOf(values[name]) ?? whole);
}

const PLURAL = /\{(\w+)\|((?:[^|{}]|\{\w+\})*)\|((?:[^|{}]|\{\w+\})*)\}/g;

function wordsOf(value: FillValues[string] | undefined): string | undefined {
  return typeof value === 'object' ? value.message : value?.toString();
}
