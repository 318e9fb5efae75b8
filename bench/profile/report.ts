import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contrast, Stretch } from './stretches.ts';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
  startTime: number;
}

type Times = readonly (readonly [ProfileNode, number])[];

const ROOT = path.resolve(import.meta.dirname, '../..');
const TOP = 40;

export function printProfile(file: string, { title, stretch, without }: Contrast): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const times = [...timesEach(profile, stretch, 1), ...(without ? timesEach(profile, without, -1) : [])];
  const total = times.reduce((sum, [, us]) => sum + us, 0);
  console.log(`${path.relative(ROOT, file)}: ${title}, ${total.toFixed(0)} µs`);
  print('functions, self time', total, sumBy(times, describe), TOP);
  print('files', total, sumBy(times, fileOf), 25);
  print('groups', total, sumBy(times, groupOf), 12);
}

/** Self times of whatever is not idle, in microseconds of one of the things that a stretch is made of. */
function timesEach(profile: Profile, stretch: Stretch, sign: 1 | -1): Times {
  const busy = [...selfTimes(profile, stretch)].filter(([node]) => node.callFrame.functionName !== '(idle)');
  return busy.map(([node, us]) => [node, (sign * us) / stretch.times] as const);
}

function selfTimes(
  { nodes, samples, timeDeltas, startTime }: Profile,
  { from, to }: Stretch,
): Map<ProfileNode, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const self = new Map<ProfileNode, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]!;
    const node = byId.get(id)!;
    // A sample's time is that until the next one.
    if (at >= from && at <= to) self.set(node, (self.get(node) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return self;
}

function sumBy(times: Times, key: (node: ProfileNode) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [node, us] of times) sums.set(key(node), (sums.get(key(node)) ?? 0) + us);
  return sums;
}

function print(title: string, total: number, sums: Map<string, number>, count: number): void {
  console.log(`\n${title}`);
  const sorted = [...sums].sort((a, b) => b[1] - a[1]).slice(0, count);
  for (const [key, us] of sorted) {
    const share = ((us / total) * 100).toFixed(1).padStart(5);
    console.log(`  ${share} %  ${us.toFixed(us < 10 ? 1 : 0).padStart(8)} µs  ${key}`);
  }
}

function describe(node: ProfileNode): string {
  const { functionName, lineNumber } = node.callFrame;
  const file = fileOf(node);
  return `${functionName || '(anonymous)'}${file === functionName ? '' : `  ${file}:${lineNumber + 1}`}`;
}

function fileOf({ callFrame: { url, functionName } }: ProfileNode): string {
  if (url.startsWith('file://')) return path.relative(ROOT, fileURLToPath(url));
  return url || functionName;
}

/** A room of ours, a package, or a part of Node. */
function groupOf(node: ProfileNode): string {
  const file = fileOf(node);
  const [, inPackage] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (inPackage) return inPackage;
  if (file.startsWith('node:')) return file.split('/').slice(0, 2).join('/');
  return file.includes('/') ? file.split('/').slice(0, 2).join('/') : file;
}
