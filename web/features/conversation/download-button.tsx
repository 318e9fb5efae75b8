import { Download } from 'lucide-react';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { cx } from '../../ui/cx.ts';
import { saveFile } from '../../ui/own-file.ts';
import { notify } from '../../ui/toast.tsx';

export function DownloadButton({ fileId, name, className }: { fileId: string; name: string; className?: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const label = text('message.download', { name });
  const save = () => void saveFile(client, fileId, name).catch((error: Error) => notify({ title: error.message }));
  return (
    <button
      type="button"
      onClick={save}
      aria-label={label}
      title={label}
      className={cx(
        'grid flex-none place-items-center rounded-md text-fg-2 hover:bg-hover hover:text-fg',
        'touch:size-11',
        className ?? 'size-8',
      )}
    >
      <Download size={14} />
    </button>
  );
}
