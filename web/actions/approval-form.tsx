import { useState } from 'react';
import type { ApprovalRequest } from '../../contract/actions.ts';
import { prettyInput } from '../conversation/tool-input.ts';
import { useText } from '../i18n/text.ts';
import { revealHidden } from '../markdown/safe-url.ts';
import { Button } from '../ui/button.tsx';
import type { Answer } from './action-card.tsx';

/** Exactly what will run, whole; the person may change it first. */
export function ApprovalForm({ approval, answer }: { approval: ApprovalRequest; answer: Answer }) {
  const text = useText();
  const [edited, setEdited] = useState<string | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  const input = readEdit(edited);
  const allow = (decision: 'once' | 'session' | 'always') => answer({ decision, ...(input && { input }) });
  const deny = (why: string) => answer({ decision: 'deny', ...(why && { reason: why }) });
  return (
    <div className="space-y-2">
      <p className="text-xs text-fg-2">
        <code className="font-mono text-fg">{approval.tool}</code> · {text(`risk.${approval.risk}`)} ·{' '}
        {approval.source.id}
      </p>
      {edited === null ? (
        <pre className="max-h-60 overflow-auto rounded-md border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap">
          {revealHidden(prettyInput(approval.input))}
        </pre>
      ) : (
        <textarea
          // biome-ignore lint/a11y/noAutofocus: the person asked to write here
          autoFocus
          aria-label={text('actions.arguments')}
          aria-invalid={input === null}
          value={edited}
          onChange={(event) => setEdited(event.target.value)}
          rows={8}
          className="w-full rounded-md border border-line-strong bg-surface p-2 font-mono text-xs"
        />
      )}
      {reason !== null && (
        <input
          // biome-ignore lint/a11y/noAutofocus: the person asked to write here
          autoFocus
          aria-label={text('actions.reason')}
          placeholder={text('actions.reason')}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={({ key, nativeEvent }) => key === 'Enter' && !nativeEvent.isComposing && deny(reason)}
          className="h-8 w-full rounded-md border border-line-strong bg-surface px-2"
        />
      )}
      <div className="flex flex-wrap gap-2">
        {(['once', 'session', 'always'] as const).map((decision) => (
          <Button
            key={decision}
            look={decision === 'once' ? 'primary' : 'outline'}
            disabled={input === null}
            onClick={() => allow(decision)}
          >
            {text(`actions.${decision}`)}
          </Button>
        ))}
        <Button look="plain" onClick={() => setEdited(edited === null ? prettyInput(approval.input) : null)}>
          {text(edited === null ? 'actions.edit' : 'actions.keep')}
        </Button>
        <Button look="danger" onClick={() => (reason === null ? setReason('') : deny(reason))}>
          {text(reason === null ? 'actions.deny' : 'actions.denyNow')}
        </Button>
      </div>
    </div>
  );
}

type Input = NonNullable<Parameters<Answer>[0]['input']>;

/** Undefined: as it was asked. Null: what was written is not usable. */
function readEdit(edited: string | null): Input | null | undefined {
  if (edited === null) return undefined;
  try {
    const value: unknown = JSON.parse(edited);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : null;
  } catch {
    return null;
  }
}
