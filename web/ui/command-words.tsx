/** What the server says: commands stand between backticks. */
export function CommandWords({ words }: { words: string | null }) {
  return (words ?? '').split(/`([^`\n]+)`/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text do not move
      <code key={at} className="font-mono text-[0.93em]">
        {part}
      </code>
    ),
  );
}
