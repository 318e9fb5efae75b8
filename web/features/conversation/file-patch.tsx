import { useQuery } from '@tanstack/react-query';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { PatchLines } from '../../ui/patch-lines.tsx';

const MOST_LINES = 2000;

/** The part of a patch that is about one file. */
export function FilePatch({ path, patchId }: { path: string; patchId: string | null }) {
  const text = useText();
  const { client } = useLiveConnection();
  const patch = useQuery({
    queryKey: ['patch', patchId],
    queryFn: async () => (await client.readFile(patchId!)).text(),
    enabled: patchId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (patchId === null || patch.isError) return <p className="px-2.5 pb-2 text-fg-3">{text('diff.missing')}</p>;
  const lines = linesAbout(path, patch.data ?? '');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
    <pre tabIndex={0} className="max-h-96 overflow-auto border-t border-line py-1 font-mono">
      <PatchLines lines={lines.slice(0, MOST_LINES)} />
      {lines.length > MOST_LINES && <span className="block px-2.5 text-fg-3">{text('diff.longer')}</span>}
    </pre>
  );
}

/** The hunks of one file, without the lines that git writes before them. */
function linesAbout(path: string, patch: string): string[] {
  const sections = patch.split(/^(?=diff --git )/m);
  const section = sections.find((one) => namesOf(one).some((name) => name === `b/${path}` || name === `a/${path}`));
  const lines = section?.split('\n') ?? [];
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return first < 0 ? [] : lines.slice(first, lines.at(-1) === '' ? -1 : undefined);
}

function namesOf(section: string): string[] {
  return Array.from(section.matchAll(/^(?:\+\+\+|---|rename to) (.*)$/gm), ([line, name]) =>
    line.startsWith('rename') ? `b/${name}` : name!.replace(/\t$/, ''),
  );
}
