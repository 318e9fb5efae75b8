import { Upload as UploadIcon } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { useText } from '../../i18n/knowledge-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { notify } from '../../ui/toast.tsx';
import { problemText, useKnowledgeVerb } from './use-knowledge.ts';

/** Takes files that are dropped or chosen, one after the other. Without an agent, they are the person's for now. */
export function Upload({ agentId }: { agentId?: string }) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const { waiting, upload } = useUploads(agentId);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    upload(event.dataTransfer.files);
  };
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first
    <div
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cx(
        'flex flex-wrap items-center gap-3 rounded-lg border border-dashed px-3 py-3',
        isOver ? 'border-accent bg-hover' : 'border-line-strong',
      )}
    >
      <Button look="primary" onClick={() => input.current?.click()}>
        <UploadIcon size={14} />
        {text('knowledge.add')}
      </Button>
      <span className="text-fg-3 touch:hidden">{text('knowledge.drop')}</span>
      {waiting.length > 0 && (
        <span role="status" className="min-w-0 truncate text-fg-2">
          {text('knowledge.uploading', { name: waiting[0]! })}
        </span>
      )}
      {/* Of any kind: by `accept`, browsers keep code from being chosen, because their systems take .ts for a video. */}
      <input
        ref={input}
        type="file"
        multiple
        aria-label={text('knowledge.add')}
        className="hidden"
        onChange={({ target }) => {
          if (target.files) upload(target.files);
          target.value = '';
        }}
      />
    </div>
  );
}

function useUploads(agentId: string | undefined): { waiting: readonly string[]; upload(files: FileList): void } {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useKnowledgeVerb();
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const uploadOne = async (file: File) => {
    const query = { name: file.name, ...(agentId !== undefined && { agent: agentId }) };
    try {
      await client.call('uploadKnowledge', { query, contents: file });
    } catch (error) {
      notify({ title: text('knowledge.failedUpload', { name: file.name }), description: problemText(error as Error) });
    } finally {
      setWaiting((names) => names.slice(1));
    }
  };
  const upload = (list: FileList) => {
    const files = [...list];
    setWaiting((names) => [...names, ...files.map(({ name }) => name)]);
    void attempt(async () => {
      for (const file of files) await uploadOne(file);
    });
  };
  return { waiting, upload };
}
