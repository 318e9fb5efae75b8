import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Memory } from '../../../contract/memory.ts';
import { useText } from '../../i18n/agent-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FIELD_BOX, FIELD_LINE, Field } from '../../ui/field.tsx';
import { problemText } from './use-memory-verb.ts';

const FORM_ID = 'memory-form';

interface Props {
  agentId: string;
  /** Null: a new one. */
  memory: Memory | null;
  onClose(): void;
}

export function MemoryDialog({ agentId, memory, onClose }: Props) {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [words, setWords] = useState(memory?.text ?? '');
  const [topic, setTopic] = useState(memory?.topic ?? '');
  const [tags, setTags] = useState(memory?.tags.join(', ') ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const isComplete = words.trim() !== '';
  const save = () => {
    const body = { text: words.trim(), topic: topic.trim(), tags: splitTags(tags) };
    return memory
      ? client.call('patchMemory', { memoryId: memory.id, body: { ...body, version: memory.version } })
      : client.call('createMemory', { body: { ...body, agentId } });
  };
  const submit = async () => {
    setProblem(null);
    try {
      await save();
      await queries.invalidateQueries({ queryKey: ['memories'] });
      onClose();
    } catch (error) {
      setProblem(problemText(error as Error));
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) void submit();
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text(memory ? 'agents.memory.editTitle' : 'agents.memory.addTitle')}
      footer={
        <>
          <Button onClick={onClose}>{text('action.cancel')}</Button>
          <Button look="primary" type="submit" form={FORM_ID} disabled={!isComplete}>
            {text('agents.save')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} onSubmit={onSubmit} className="flex flex-col gap-3">
        <Field label={text('agents.memory.text')} hint={text('agents.memory.textHint')}>
          {(control) => (
            <textarea
              {...control}
              required
              rows={3}
              maxLength={4000}
              dir="auto"
              value={words}
              onChange={({ target }) => setWords(target.value)}
              className={cx(FIELD_BOX, 'field-sizing-content max-h-[32vh] min-h-16 py-1 text-md')}
            />
          )}
        </Field>
        <div className="grid gap-3 sm:grid-cols-2">
          <Line label={text('agents.memory.topic')} value={topic} onChange={setTopic} />
          <Line label={text('agents.memory.tags')} value={tags} onChange={setTags} />
        </div>
        <p role="alert" className="text-danger empty:hidden">
          {problem}
        </p>
      </form>
    </Dialog>
  );
}

function Line({ label, value, onChange }: { label: string; value: string; onChange(words: string): void }) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          maxLength={200}
          dir="auto"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={FIELD_LINE}
        />
      )}
    </Field>
  );
}

function splitTags(words: string): string[] {
  return words
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
}
