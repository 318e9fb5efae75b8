import { type FormEvent, useState } from 'react';
import type { KnowledgeSource } from '../../../contract/knowledge.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD_LINE } from '../../ui/field.tsx';
import { useKnowledgeVerb } from './use-knowledge.ts';

const FORM_ID = 'rename-source';

/** Agents and people see and cite the new name from then on. */
export function RenameDialog({ source, onClose }: { source: KnowledgeSource; onClose(): void }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useKnowledgeVerb();
  const [name, setName] = useState(source.name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim() };
    if (body.name === '') return;
    if (await attempt(() => client.call('renameKnowledge', { sourceId: source.id, body }))) onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('knowledge.rename', { name: source.name })}
      footer={
        <>
          <Button onClick={onClose}>{text('action.cancel')}</Button>
          <Button look="primary" type="submit" form={FORM_ID} disabled={name.trim() === ''}>
            {text('agents.save')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} onSubmit={(event) => void submit(event)}>
        <input
          autoFocus
          aria-label={text('knowledge.name')}
          maxLength={255}
          dir="auto"
          value={name}
          onChange={({ target }) => setName(target.value)}
          className={FIELD_LINE}
        />
      </form>
    </Dialog>
  );
}
