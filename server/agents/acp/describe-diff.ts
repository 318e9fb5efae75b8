import type { Diff } from '@agentclientprotocol/sdk';

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** The change of one file as a patch: everything between the first and the last line that differs. */
export function describeDiff({ path, oldText, newText }: Diff): string {
  const before = linesOf(oldText ?? '');
  const after = linesOf(newText);
  const start = commonStart(before, after);
  const end = commonEnd(before.slice(start), after.slice(start));
  const lead = before.slice(Math.max(0, start - CONTEXT), start);
  const trail = end === 0 ? [] : before.slice(before.length - end).slice(0, CONTEXT);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const from = start - lead.length + 1;
  const counts = [removed, added].map((lines) => lead.length + lines.length + trail.length);
  return [
    `--- ${oldText === null || oldText === undefined ? '/dev/null' : path}`,
    `+++ ${path}`,
    `@@ -${before.length === 0 ? 0 : from},${counts[0]} +${after.length === 0 ? 0 : from},${counts[1]} @@`,
    ...lead.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trail.map((line) => ` ${line}`),
  ].join('\n');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((line, at) => line !== other[at]);
  return differs === -1 ? one.length : differs;
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  return commonStart(one.toReversed(), other.toReversed().slice(0, one.length));
}
