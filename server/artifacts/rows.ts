import type { ListField } from '../../contract/lists.ts';
import type { NoteRow, RowField, ViewRow } from '../../contract/views.ts';
import type { ArtifactRow, ListItemRow } from '../storage/tables.ts';
import { contentOf, type NoteContent, toItem, toTime } from './shapes.ts';

/** A list whose items are rows. */
export interface RowList {
  readonly id: string;
  readonly name: string;
  readonly nameKey: string;
  readonly fields: ReadonlyMap<string, ListField>;
  readonly fieldIds: ReadonlySet<string>;
}

/** An item or a note as filters and sorting see it. */
export interface Row {
  readonly list: RowList | null;
  get(field: RowField): unknown;
  /** What `words` are looked for in. */
  readonly words: string;
  /** As it is kept for sorting and showing. */
  shortened(): Row;
  /** How many characters it keeps in memory. */
  readonly size: number;
  toView(group: string | null): ViewRow;
}

export class ItemRow implements Row {
  readonly list: RowList;
  readonly #row: ListItemRow;
  #tags: string[] | undefined;
  #values: Record<string, unknown> | undefined;

  constructor(row: ListItemRow, list: RowList) {
    this.#row = row;
    this.list = list;
  }

  get words(): string {
    return `${this.#row.title}\n${this.#row.notes}\n${this.#tagList.join('\n')}`;
  }

  get size(): number {
    const { title, notes, tags, field_values } = this.#row;
    return title.length + notes.length + tags.length + field_values.length;
  }

  get #tagList(): string[] {
    this.#tags ??= JSON.parse(this.#row.tags) as string[];
    return this.#tags;
  }

  get(field: RowField): unknown {
    switch (field) {
      case 'title':
        return this.#row.title;
      case 'notes':
        return this.#row.notes;
      case 'done':
        return this.#row.done_at !== null;
      case 'due':
      case 'date':
        return this.#row.due;
      case 'tags':
        return this.#tagList;
      case 'list':
        return this.list.id;
      case 'kind':
        return 'item';
      case 'created':
        return toTime(this.#row.created_at);
      case 'updated':
        return toTime(this.#row.updated_at);
      default:
        return this.#value(field.slice('values.'.length));
    }
  }

  #value(id: string): unknown {
    if (!this.list.fieldIds.has(id)) return null;
    this.#values ??= JSON.parse(this.#row.field_values) as Record<string, unknown>;
    return this.#values[id] ?? null;
  }

  shortened(): Row {
    return this;
  }

  toView(group: string | null): ViewRow {
    return { kind: 'item', group, item: toItem(this.#row, this.list.fieldIds) };
  }
}

const MOST_SHOWN = 500;
/** Of a note, this much is read when nothing is looked for in it, and kept for sorting. */
export const NOTE_BEGINNING = 2000;

export class NoteAsRow implements Row {
  readonly list = null;
  readonly #row: ArtifactRow;
  readonly #content: NoteContent;

  constructor(row: ArtifactRow) {
    this.#row = row;
    this.#content = contentOf<NoteContent>(row);
  }

  get words(): string {
    return `${this.#row.name}\n${this.#row.text}\n${this.#content.tags.join('\n')}`;
  }

  get size(): number {
    return this.#row.name.length + this.#row.text.length + this.#row.content.length;
  }

  get(field: RowField): unknown {
    switch (field) {
      case 'title':
        return this.#row.name;
      case 'notes':
        return this.#row.text;
      case 'done':
        return false;
      case 'due':
      case 'date':
        return this.#content.date;
      case 'tags':
        return this.#content.tags;
      case 'kind':
        return 'note';
      case 'created':
        return toTime(this.#row.created_at);
      case 'updated':
        return toTime(this.#row.updated_at);
      default:
        return null;
    }
  }

  /** A copy of the beginning: a part of a string would keep all of it in memory. */
  shortened(): Row {
    const { text } = this.#row;
    if (text.length <= NOTE_BEGINNING) return this;
    return new NoteAsRow({ ...this.#row, text: structuredClone(text.slice(0, NOTE_BEGINNING)) });
  }

  toView(group: string | null): ViewRow {
    return { kind: 'note', group, note: this.#toNote() };
  }

  #toNote(): NoteRow {
    const { id, name, text, created_at, updated_at } = this.#row;
    const { tags, date } = this.#content;
    const times = { createdAt: toTime(created_at), updatedAt: toTime(updated_at) };
    return { id, title: name, notes: text.slice(0, MOST_SHOWN).toWellFormed(), tags, date, ...times };
  }
}
