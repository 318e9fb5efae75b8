const CODE = /^[A-Za-z0-9_-]{8,200}$/;

/** The one-time code in whatever was pasted: a whole link, the end of one, or the code itself. Null: there is none. */
export function readCode(pasted: string): string | null {
  const words = pasted.trim();
  const fragment = words.includes('#') ? words.slice(words.indexOf('#') + 1) : words;
  const code = fragment.includes('=') ? new URLSearchParams(fragment).get('code') : fragment;
  return code !== null && CODE.test(code) ? code : null;
}
