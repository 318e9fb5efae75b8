/** What a person who reads a text cannot see in it, a model should not read either. */
const INVISIBLE = /[\p{Cf}\p{Co}]|(?![\n\t])\p{Cc}/gu;

/** The same for every text in a schema. Its names are not changed: see `hasUnseenNames`. */
export function plainSchema<T>(value: T): T {
  if (typeof value === 'string') return value.replace(INVISIBLE, '') as T;
  if (Array.isArray(value)) return value.map(plainSchema) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainSchema(inner)])) as T;
}

/** Whether a name in a schema holds characters that cannot be seen. */
export function hasUnseenNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return names.some((name) => name.search(INVISIBLE) >= 0) || Object.values(value).some(hasUnseenNames);
}

export function plainText(text: string, mostCharacters: number): string {
  const visible = text
    .slice(0, mostCharacters * 2)
    .toWellFormed()
    .replace(INVISIBLE, '');
  return visible.length > mostCharacters ? `${visible.slice(0, mostCharacters - 1).toWellFormed()}…` : visible;
}
