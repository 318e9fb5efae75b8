/** A sentence inside another one counts as its words. */
export type FillValues = Readonly<Record<string, string | number | { readonly message: string }>>;

/** `{name}` is a value; `{count|file|files}` is the form that goes with a number, the singular first. */
export function fillText(template: string, values: FillValues): string {
  return chooseForms(template, values).replace(VALUE, (whole, name: string) => wordsOf(values[name]) ?? whole);
}

/** Few templates have any, and to look for them closely takes longer than to fill in the values. */
function chooseForms(template: string, values: FillValues): string {
  if (!template.includes('|')) return template;
  return template.replace(PLURAL, (whole, name: string, one: string, other: string) => {
    if (values[name] === undefined) return whole;
    return Number(values[name]) === 1 ? one : other;
  });
}

const VALUE = /\{(\w+)\}/g;
const PLURAL = /\{(\w+)\|((?:[^|{}]|\{\w+\})*)\|((?:[^|{}]|\{\w+\})*)\}/g;

function wordsOf(value: FillValues[string] | undefined): string | undefined {
  return typeof value === 'object' ? value.message : value?.toString();
}
