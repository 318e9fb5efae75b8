import { PERSON } from '../../artifacts/authors.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { sendFile } from './send-file.ts';

type ArtifactDeps = Pick<RouteDeps, 'artifacts' | 'audit'>;

export function artifactRoutes(router: Router, { artifacts, audit }: ArtifactDeps): void {
  router.on('listArtifacts', ({ owner, query }) => artifacts.list(owner, query));
  router.on('searchArtifacts', ({ owner, query }) => artifacts.search(owner, query));
  router.on('importArtifacts', async ({ c, owner, body }) => {
    const imported = await artifacts.import(owner, body);
    await audit({ owner, action: 'artifacts.imported', object: null, detail: null, request_id: idOf(c) });
    return imported;
  });
  router.on('getArtifact', ({ owner, params }) => artifacts.get(owner, params.artifactId));
  router.on('exportArtifact', ({ owner, params, query }) => artifacts.export(owner, params.artifactId, query.after));
  router.on('deleteArtifact', async ({ c, owner, params, query }) => {
    if (query.permanently !== 'true') {
      await artifacts.delete(owner, PERSON, params.artifactId);
      return undefined;
    }
    await artifacts.erase(owner, PERSON, params.artifactId);
    await audit({ owner, action: 'artifact.deleted', object: params.artifactId, detail: null, request_id: idOf(c) });
    return undefined;
  });
  router.on('restoreArtifact', ({ owner, params }) => artifacts.restore(owner, PERSON, params.artifactId));
  router.on('listArtifactChanges', ({ owner, params, query }) => artifacts.changes(owner, params.artifactId, query));
  router.on('undoArtifactChanges', ({ owner, params, body }) =>
    artifacts.undo(owner, PERSON, params.artifactId, body.versions, body.force),
  );
  listRoutes(router, artifacts);
  noteRoutes(router, artifacts);
  viewRoutes(router, artifacts);
  fileRoutes(router, artifacts);
}

function idOf(c: Ctx): string {
  return c.get('requestId');
}

function listRoutes(router: Router, { lists }: RouteDeps['artifacts']): void {
  router.on('createList', ({ owner, body }) => lists.create(owner, PERSON, body));
  router.on('getList', ({ owner, params }) => lists.get(owner, params.listId));
  router.on('patchList', ({ owner, params, body }) => lists.patch(owner, PERSON, params.listId, body));
  router.on('listItems', ({ owner, params, query }) => lists.items(owner, params.listId, query));
  router.on('addItems', ({ owner, params, body }) => lists.add(owner, PERSON, params.listId, body));
  router.on('getItem', ({ owner, params }) => lists.item(owner, params.listId, params.itemId));
  router.on('patchItem', ({ owner, params, body }) =>
    lists.patchItem(owner, PERSON, params.listId, params.itemId, body),
  );
  router.on('moveItems', ({ owner, params, body }) => lists.move(owner, PERSON, params.listId, body));
  router.on('removeItems', ({ owner, params, body }) => lists.remove(owner, PERSON, params.listId, body.items));
}

function noteRoutes(router: Router, { notes }: RouteDeps['artifacts']): void {
  router.on('createNote', ({ owner, body }) => notes.create(owner, PERSON, body));
  router.on('getNote', ({ owner, params }) => notes.get(owner, params.noteId));
  router.on('patchNote', ({ owner, params, body }) => notes.patch(owner, PERSON, params.noteId, body));
  router.on('listNoteVersions', ({ owner, params, query }) => notes.versions(owner, params.noteId, query));
  router.on('getNoteVersion', ({ owner, params }) => notes.atVersion(owner, params.noteId, params.version));
}

function viewRoutes(router: Router, { views }: RouteDeps['artifacts']): void {
  router.on('createView', ({ owner, body }) => views.create(owner, PERSON, body));
  router.on('getView', ({ owner, params }) => views.get(owner, params.viewId));
  router.on('patchView', ({ owner, params, body }) => views.patch(owner, PERSON, params.viewId, body));
  router.on('getViewRows', ({ owner, params, query }) => views.rows(owner, params.viewId, query));
  router.on('runQuery', ({ owner, body }) => views.run(owner, body));
}

function fileRoutes(router: Router, { files }: RouteDeps['artifacts']): void {
  router.on('createArtifactFile', ({ owner, body }) => files.create(owner, PERSON, body));
  router.on('getArtifactFile', ({ owner, params }) => files.get(owner, params.artifactFileId));
  router.on('patchArtifactFile', ({ owner, params, body }) => files.patch(owner, PERSON, params.artifactFileId, body));
  router.on('listArtifactFileVersions', ({ owner, params, query }) =>
    files.versions(owner, params.artifactFileId, query),
  );
  router.on('readArtifactFile', async ({ c, owner, params, query }) => {
    const { file, handle } = await files.open(owner, params.artifactFileId, query.version);
    return sendFile(c, file, handle, true);
  });
}
