import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { homePaths } from '../../server/home.ts';
import { type BareFiller, fillBare } from '../fill/bare.ts';
import { Filler } from '../fill/filler.ts';
import { Bare, bareDatabase } from '../sides/bare.ts';

/** Data folders that are filled before a server starts on them, and gone afterwards. */
export class Homes {
  readonly #folders: string[] = [];

  async parley(work: (filler: Filler) => void): Promise<string> {
    const home = this.#create();
    await Filler.fill(homePaths(home).database, work);
    return home;
  }

  async bare(modelUrl: string, work: (filler: BareFiller) => void): Promise<string> {
    const home = this.#create();
    const first = await Bare.start({ modelUrl, sqlite: true, home });
    await first.stop();
    fillBare(bareDatabase(home), work);
    return home;
  }

  removeAll(): void {
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  #create(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-home-'));
    this.#folders.push(folder);
    return folder;
  }
}
