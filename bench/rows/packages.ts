import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Measurement } from '../bench.ts';

const LOCK = path.resolve(import.meta.dirname, '../../package-lock.json');
const MOST = 150;

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
}

/** What a user has to install. */
export const packages: Measurement = {
  name: 'packages',
  about: 'packages at run time',
  async run() {
    const lock = JSON.parse(readFileSync(LOCK, 'utf8')) as Lock;
    const installed = Object.entries(lock.packages).filter(([name, { dev }]) => name !== '' && !dev);
    const { length } = installed;
    return [
      {
        row: 'packages at run time',
        baseline: '0 (bare)',
        parley: String(length),
        ratio: '–',
        goal: `<= ${MOST}`,
        met: length <= MOST,
        figures: { packages: installed.map(([name]) => name) },
      },
    ];
  },
};
