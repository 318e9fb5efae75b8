export const AGREED =
  /^(?:yes|ok(?:ay)?|perfect|good|fine|go ahead|do it|(?:please )?(?:create|make|save|add) (?:it|the agent|the team|that))\b/i;
/** Longer than this it says more than yes or hello. */
export const SHORT = 60;

const FENCE = '```json\n';
const FENCE_END = '\n```';

/** What is said, and the draft that goes with it when the person has changed it by hand. */
export function readAsked<Given extends object>(
  asked: string,
  has: keyof Given,
): { words: string; given: Given | undefined } {
  const from = asked.indexOf(FENCE);
  const to = from < 0 ? -1 : asked.indexOf(FENCE_END, from);
  const given = to < 0 ? undefined : read<Given>(asked.slice(from + FENCE.length, to));
  if (!given?.[has]) return { words: asked.trim(), given: undefined };
  return { words: `${asked.slice(0, from)}${asked.slice(to + FENCE_END.length)}`.trim(), given };
}

export function read<T extends object>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
