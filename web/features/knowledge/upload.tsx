import { Upload as UploadIcon, X } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import type { Fetch } from '../../../client/transport.ts';
import { fileSize } from '../../i18n/formats.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { notify } from '../../ui/toast.tsx';
import { fetchTelling } from './upload-fetch.ts';
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
      {waiting.length > 0 && <UploadList waiting={waiting} />}
      <span role="status" className="sr-only">
        {waiting[0] && text('knowledge.uploading', { name: waiting[0].file.name })}
      </span>
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

/** A file on its way, or that waits for those before it. */
interface Uploading {
  readonly id: string;
  readonly file: File;
  readonly sentBytes: number;
  cancel(): void;
}

interface Uploads {
  /** In the order in which they are sent. */
  readonly waiting: readonly Uploading[];
  upload(files: FileList): void;
}

function useUploads(agentId: string | undefined): Uploads {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useKnowledgeVerb();
  const [waiting, setWaiting] = useState<readonly Uploading[]>([]);
  const note = (id: string, sentBytes: number) =>
    setWaiting((all) => all.map((one) => (one.id === id ? { ...one, sentBytes } : one)));
  const uploadOne = async ({ id, file }: Uploading, { signal }: AbortController) => {
    const query = { name: file.name, ...(agentId !== undefined && { agent: agentId }) };
    try {
      if (signal.aborted) return;
      const through: Fetch = (url, init) => fetchTelling(url, init, (bytes) => note(id, bytes));
      await client.call('uploadKnowledge', { query, contents: file, signal, through });
    } catch (error) {
      if (signal.aborted) return;
      notify({ title: text('knowledge.failedUpload', { name: file.name }), description: problemText(error as Error) });
    } finally {
      setWaiting((all) => all.filter((one) => one.id !== id));
    }
  };
  const upload = (list: FileList) => {
    const added = [...list].map((file) => {
      const stop = new AbortController();
      const id = crypto.randomUUID();
      const cancel = () => {
        stop.abort();
        setWaiting((all) => all.filter((one) => one.id !== id));
      };
      return { uploading: { id, file, sentBytes: 0, cancel }, stop };
    });
    setWaiting((all) => [...all, ...added.map(({ uploading }) => uploading)]);
    void attempt(async () => {
      for (const { uploading, stop } of added) await uploadOne(uploading, stop);
    });
  };
  return { waiting, upload };
}

/** How far each file has come; one that is on its way can be stopped, like one that waits. */
function UploadList({ waiting }: { waiting: readonly Uploading[] }) {
  const text = useText();
  return (
    <ul aria-label={text('knowledge.uploads')} className="w-full space-y-1">
      {waiting.map(({ id, file, sentBytes, cancel }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3">
          <span dir="auto" className="min-w-0 flex-1 basis-40 truncate">
            {file.name}
          </span>
          <progress
            aria-label={text('knowledge.uploading', { name: file.name })}
            max={Math.max(file.size, 1)}
            value={Math.min(sentBytes, file.size)}
            className="h-1.5 w-28 accent-(--accent)"
          />
          <span className="text-xs text-fg-3 tabular-nums">
            {text('knowledge.sent', { sent: fileSize(Math.min(sentBytes, file.size)), size: fileSize(file.size) })}
          </span>
          <IconButton label={text('knowledge.cancelUpload', { name: file.name })} onClick={cancel}>
            <X size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
