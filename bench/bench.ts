import type { Row } from './report.ts';
import type { Model } from './sides/model.ts';

/** What every measurement gets. */
export interface Bench {
  model: Model;
  /** Shorter and coarser. */
  quick: boolean;
  log(text: string): void;
}

export interface Measurement {
  name: string;
  about: string;
  run(bench: Bench): Promise<Row[]>;
}
