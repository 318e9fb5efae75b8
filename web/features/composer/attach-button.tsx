import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { IconButton } from '../../ui/button.tsx';

export function AttachButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={text('composer.attach')} onClick={() => input.current?.click()}>
        <Paperclip size={16} />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={text('composer.attach')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}
