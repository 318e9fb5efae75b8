/** What a person who reads a text cannot see in it, a model should not read either. */
const INVISIBLE = /[\p{Cf}\p{Co}]|(?![\n\t])\p{Cc}/gu;

export function plainText(text: string, mostCharacters: number): string {
  const visible = text
    .slice(0, mostCharacters * 2)
    .toWellFormed()
    .replace(INVISIBLE, '');
  return visible.length > mostCharacters ? `${visible.slice(0, mostCharacters - 1).toWellFormed()}…` : visible;
}
