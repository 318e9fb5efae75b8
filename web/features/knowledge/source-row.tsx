import { Link } from '@tanstack/react-router';
import { File, FileText, NotebookText, RotateCcw, Square } from 'lucide-react';
import type { ReactNode } from 'react';
import type { KnowledgeSource } from '../../../contract/knowledge.ts';
import { fileSize } from '../../i18n/formats.ts';
import { useText } from '../../i18n/knowledge-words.ts';
import { language, serverText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { IconButton } from '../../ui/button.tsx';
import { Badge } from '../../ui/page.tsx';
import { useKnowledgeVerb } from './use-knowledge.ts';

interface Props {
  source: KnowledgeSource;
  /** Below its name. */
  children?: ReactNode;
  /** What can be done with it here. */
  actions: ReactNode;
}

export function SourceRow({ source, children, actions }: Props) {
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <span className="mt-0.5 grid w-5 flex-none place-items-center text-fg-3">
          <SourceIcon source={source} />
        </span>
        <div className="min-w-0 flex-1 basis-36">
          <Link
            to="/knowledge/$sourceId"
            params={{ sourceId: source.id }}
            className="touch-link block truncate font-medium hover:underline"
            dir="auto"
          >
            {source.name}
          </Link>
          <SourceFacts source={source} />
          {children}
        </div>
        <span className="flex flex-none gap-0.5">
          <ReadingVerbs source={source} />
          {actions}
        </span>
      </div>
    </li>
  );
}

function SourceIcon({ source: { kind, format } }: { source: KnowledgeSource }) {
  if (kind === 'note') return <NotebookText size={16} aria-hidden="true" />;
  return format === 'text' ? <File size={16} aria-hidden="true" /> : <FileText size={16} aria-hidden="true" />;
}

/** What it is, and how far reading it has come. */
export function SourceFacts({ source }: { source: KnowledgeSource }) {
  const text = useText();
  const { format, bytes, pages, passages, embedded, state, fraction, problem } = source;
  const facts = [
    text(`knowledge.format.${format}`),
    fileSize(bytes),
    ...(pages === null ? [] : [text('knowledge.pages', { count: pages })]),
    ...(passages === 0 ? [] : [text('knowledge.passages', { count: passages })]),
    ...(embedded === null || embedded >= passages
      ? []
      : [text('knowledge.embedded', { count: embedded, total: passages })]),
  ];
  return (
    <>
      <p className="text-xs text-fg-2">
        {facts.join(' · ')}{' '}
        {state !== 'ready' && <Badge tone={problem ? 'danger' : 'plain'}>{text(`knowledge.state.${state}`)}</Badge>}
      </p>
      {problem && <p className="mt-0.5 text-xs text-danger">{serverText(problem.message, problem.text)}</p>}
      {fraction !== null && <Progress fraction={fraction} />}
    </>
  );
}

function Progress({ fraction }: { fraction: number }) {
  const text = useText();
  return (
    <progress
      value={fraction}
      max={1}
      aria-label={text('knowledge.reading', { percent: percent(fraction) })}
      className="mt-1 h-1.5 w-full max-w-64 accent-(--accent)"
    />
  );
}

function ReadingVerbs({ source: { id, name, state } }: { source: KnowledgeSource }) {
  const text = useText();
  const { client } = useLiveConnection();
  const attempt = useKnowledgeVerb();
  const params = { sourceId: id };
  if (state === 'waiting' || state === 'reading')
    return (
      <IconButton
        label={text('knowledge.stop', { name })}
        onClick={() => void attempt(() => client.call('stopKnowledge', params))}
      >
        <Square size={14} />
      </IconButton>
    );
  if (state === 'ready') return null;
  return (
    <IconButton
      label={text('knowledge.retry', { name })}
      onClick={() => void attempt(() => client.call('retryKnowledge', params))}
    >
      <RotateCcw size={14} />
    </IconButton>
  );
}

function percent(fraction: number): string {
  return new Intl.NumberFormat(language(), { style: 'percent' }).format(fraction);
}
