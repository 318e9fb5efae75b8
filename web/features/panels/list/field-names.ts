import type { ListField } from '../../../../contract/lists.ts';
import { useText } from '../../../i18n/panel-words.ts';

const OWN = ['title', 'notes', 'due', 'tags', 'doneAt', 'name', 'description', 'fields'] as const;
type Own = (typeof OWN)[number];

/** What a field of an item or of a list is called; the names of a list's own fields are the person's. */
export function useFieldName(fields: readonly ListField[]): (field: string) => string {
  const text = useText();
  return (field) => {
    if ((OWN as readonly string[]).includes(field)) return text(`field.${field as Own}`);
    const id = field.replace(/^values\./, '');
    return fields.find((one) => one.id === id)?.name ?? id;
  };
}
