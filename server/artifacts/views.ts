import type { z } from 'zod';
import type { ArtifactPlugin, Author } from '../../contract/artifacts.ts';
import type { CreateView, PatchView, RunQuery, View, ViewRows, ViewRowsQuery } from '../../contract/views.ts';
import { patchArtifact } from './change-artifact.ts';
import { type ArtifactLog, loadArtifact } from './changing.ts';
import { createArtifact } from './create.ts';
import { runQuery } from './run-query.ts';
import { contentOf, toView, type ViewContent } from './shapes.ts';

/** What people and agents do with views: queries that are kept. */
export class Views {
  readonly #log: ArtifactLog;

  constructor(log: ArtifactLog) {
    this.#log = log;
  }

  create(owner: string, by: Author, { id, name, ...content }: CreateView): Promise<View> {
    return this.#log.write(owner, by, async (changing) =>
      toView(await createArtifact(changing, { id, kind: 'view', name, content })),
    );
  }

  async get(owner: string, id: string): Promise<View> {
    return toView(await loadArtifact(this.#log.db, owner, id, 'view'));
  }

  patch(owner: string, by: Author, id: string, { base, ...wanted }: PatchView): Promise<View> {
    return this.#log.write(owner, by, async (changing) => {
      const edit = await changing.open(id, 'view');
      await patchArtifact(edit, wanted, base);
      return toView(edit.row);
    });
  }

  /** `hidden`: what these plugins keep is left out. */
  async rows(
    owner: string,
    id: string,
    { limit, timeZone }: z.output<typeof ViewRowsQuery>,
    hidden: readonly ArtifactPlugin[] = [],
  ): Promise<ViewRows> {
    const { query } = contentOf<ViewContent>(await loadArtifact(this.#log.db, owner, id, 'view'));
    return runQuery(this.#log.db, owner, { query, limit, timeZone, hidden });
  }

  run(
    owner: string,
    { query, limit, timeZone }: z.output<typeof RunQuery>,
    hidden: readonly ArtifactPlugin[] = [],
  ): Promise<ViewRows> {
    return runQuery(this.#log.db, owner, { query, limit, timeZone, hidden });
  }
}
