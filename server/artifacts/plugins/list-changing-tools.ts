import { z } from 'zod';
import { ArtifactName } from '../../../contract/artifacts.ts';
import { ListFields, NewItem, PatchItem } from '../../../contract/lists.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Artifacts } from '../artifacts.ts';
import { authorOf } from '../authors.ts';
import { artifactTool, Base, nameOf, text, Wanted } from './artifact-tool.ts';
import { byList, findItems, findOne } from './find.ts';
import { fieldsLine, itemLine } from './item-lines.ts';

export function listChangingTools(artifacts: Artifacts): Tool[] {
  return [
    addItems(artifacts),
    markItems(artifacts),
    updateItem(artifacts),
    moveItems(artifacts),
    removeItems(artifacts),
    createList(artifacts),
    changeList(artifacts),
  ];
}

const List = Wanted.describe('The list: its ID or its name');
const ItemIds = z.array(Wanted).min(1).max(100).describe('Item IDs; with list also titles');
const InList = Wanted.optional().describe('The list, where items are named by their titles');
const ItemToAdd = NewItem.omit({ id: true });
const ItemChange = PatchItem.omit({ base: true, done: true });

function addItems(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    list: List,
    items: z.array(ItemToAdd).min(1).max(100),
    before: Wanted.optional().describe('The ID of the item before which they go; default: at the end'),
  });
  return artifactTool(
    'lists',
    {
      name: 'lists_add',
      description: 'Add items to a list. values are by the IDs of the fields that lists_show names.',
      input,
      capabilities: ['lists.append'],
      risk: 'write',
      operation: 'add',
    },
    async ({ list, items, before }, context) => {
      const found = await findOne(artifacts, context, 'list', list, 'append');
      const added = await artifacts.lists.add(context.owner, authorOf(context), found.id, { items, before });
      const { fields } = await artifacts.lists.get(context.owner, found.id);
      return text([`Added to ${nameOf(found)}:`, ...added.items.map((item) => itemLine(item, fields))]);
    },
  );
}

function markItems(artifacts: Artifacts): Tool {
  return artifactTool(
    'lists',
    {
      name: 'lists_mark',
      description: 'Mark items of lists as done, or as not done.',
      input: z.strictObject({ items: ItemIds, done: z.boolean().default(true), list: InList }),
      capabilities: ['lists.mark'],
      risk: 'write',
      operation: 'mark',
    },
    async ({ items, done, list }, context) => {
      const lines: string[] = [];
      for (const { listId, id } of await findItems(artifacts, context, items, list, 'mark')) {
        const item = await artifacts.lists.patchItem(context.owner, authorOf(context), listId, id, { done });
        lines.push(itemLine(item, []));
      }
      return text([done ? 'Done:' : 'Not done:', ...lines]);
    },
  );
}

function updateItem(artifacts: Artifacts): Tool {
  return artifactTool(
    'lists',
    {
      name: 'lists_update',
      description: 'Change an item of a list. Omitted fields stay as they are; null clears due and values.',
      input: z.strictObject({
        item: Wanted.describe('The ID of the item'),
        ...ItemChange.shape,
        base: Base,
        list: InList,
      }),
      capabilities: ['lists.write'],
      risk: 'write',
      operation: 'update',
    },
    async ({ item: wanted, list, ...patch }, context) => {
      const [found] = await findItems(artifacts, context, [wanted], list, 'write');
      const { listId, id } = found!;
      const item = await artifacts.lists.patchItem(context.owner, authorOf(context), listId, id, patch);
      const { fields } = await artifacts.lists.get(context.owner, listId);
      return text(['Changed:', itemLine(item, fields)]);
    },
  );
}

function moveItems(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    items: ItemIds,
    list: InList,
    toList: Wanted.optional().describe('Another list: its ID or its name'),
    before: Wanted.optional().describe('The ID of the item before which they go'),
    after: Wanted.optional().describe('The ID of the item after which they go; neither: to the end'),
  });
  return artifactTool(
    'lists',
    {
      name: 'lists_move',
      description: 'Move items within their list or to another list.',
      input,
      capabilities: ['lists.write'],
      risk: 'write',
      operation: 'move',
    },
    async ({ items, list, toList, before, after }, context) => {
      const found = await findItems(artifacts, context, items, list, 'write');
      const target = toList === undefined ? undefined : await findOne(artifacts, context, 'list', toList, 'write');
      const lines: string[] = [];
      for (const [listId, some] of byList(found)) {
        const place = { ...(before && { before }), ...(!before && after && { after }) };
        const wanted = { items: some.map(({ id }) => id), ...(target && { toListId: target.id }), ...place };
        const moved = await artifacts.lists.move(context.owner, authorOf(context), listId, wanted);
        lines.push(...moved.items.map((item) => itemLine(item, [])));
      }
      return text([target ? `Moved to ${nameOf(target)}:` : 'Moved:', ...lines]);
    },
  );
}

function removeItems(artifacts: Artifacts): Tool {
  return artifactTool(
    'lists',
    {
      name: 'lists_remove',
      description: 'Delete items of lists. To mark them as done, use lists_mark. lists_undo brings them back.',
      input: z.strictObject({ items: ItemIds, list: InList }),
      capabilities: ['lists.write'],
      risk: 'write',
      operation: 'remove',
    },
    async ({ items, list }, context) => {
      const lines: string[] = [];
      for (const [listId, some] of byList(await findItems(artifacts, context, items, list, 'write'))) {
        const ids = some.map(({ id }) => id);
        const { versions } = await artifacts.lists.remove(context.owner, authorOf(context), listId, ids);
        lines.push(`Deleted ${ids.join(', ')} from list [${listId}] (versions ${versions.join(', ')}).`);
      }
      return text(lines);
    },
  );
}

function createList(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    name: ArtifactName,
    description: z.string().max(2000).default(''),
    fields: ListFields.default([]).describe('Beside title, notes, done, due date and tags'),
  });
  return artifactTool(
    'lists',
    {
      name: 'lists_create',
      description: 'Create a list.',
      input,
      capabilities: ['lists.write'],
      risk: 'write',
      operation: 'create',
    },
    async (wanted, context) => {
      const list = await artifacts.lists.create(context.owner, authorOf(context), wanted);
      return `Created the list ${nameOf(list)}.`;
    },
  );
}

function changeList(artifacts: Artifacts): Tool {
  const input = z.strictObject({
    list: List,
    name: ArtifactName.optional(),
    description: z.string().max(2000).optional(),
    fields: ListFields.optional().describe('Replaces all fields; values of a field that is left out are kept'),
    base: Base,
  });
  return artifactTool(
    'lists',
    {
      name: 'lists_change',
      description: 'Change the name, description or fields of a list.',
      input,
      capabilities: ['lists.write'],
      risk: 'write',
      operation: 'change',
    },
    async ({ list, ...patch }, context) => {
      const { id } = await findOne(artifacts, context, 'list', list, 'write');
      const changed = await artifacts.lists.patch(context.owner, authorOf(context), id, patch);
      const fields = changed.fields.length > 0 ? [`Fields: ${fieldsLine(changed.fields)}`] : [];
      return text([`Changed the list ${nameOf(changed)}.`, ...fields]);
    },
  );
}
