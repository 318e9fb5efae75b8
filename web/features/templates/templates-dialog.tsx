import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/page-words.ts';
import type { Live } from '../../live/live.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { beginFrom } from '../../state/begin-from.ts';
import { finishDeletions } from '../../state/message-deletions.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { useTemplates } from '../../state/templates.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { focusDialog } from '../../ui/keyboard-focus.ts';
import { Loaded } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import {
  BLANK,
  changesOf,
  type Draft,
  draftFrom,
  draftOf,
  FORM_ID,
  isComplete,
  isSame,
  NEW,
  toFields,
  type View,
} from './draft.ts';
import { TemplateForm } from './template-form.tsx';
import { TemplateList } from './template-list.tsx';

interface Props {
  /** A session that is to be kept as a template; null shows all of them. */
  sessionId: string | null;
  onClose(): void;
}

/** All templates, and one at a time to be changed: one dialog, so that the keyboard never leaves it on the way. */
export default function TemplatesDialog({ sessionId, onClose }: Props) {
  const { live, navigate } = useSessionDeps();
  const [view, setView] = useState<View>(sessionId === null ? { kind: 'list', focus: null } : { kind: 'reading' });
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const title = useTitle(view, sessionId !== null);
  const { save, isBusy, problem, forget } = useSaveTemplate();
  const showList = (focus: string | null) => {
    focusDialog();
    setView({ kind: 'list', focus });
  };
  const edit = (of: SessionTemplate | null, start: Draft) => {
    forget();
    setView({ kind: 'form', of, start, draft: start });
  };
  const begin = (template: SessionTemplate) => {
    onClose();
    void beginFrom(live, navigate, template);
  };
  const isChanged = view.kind === 'form' && !isSame(view.start, view.draft);
  const unlessChanged = (go: () => void) => () => (isChanged ? setLeave(() => go) : go());
  const back = () => (sessionId !== null ? onClose() : showList((view.kind === 'form' && view.of?.id) || NEW));
  const saved = useSaved(sessionId !== null, onClose, showList);
  const submit = async () => {
    if (view.kind !== 'form' || isBusy) return;
    const template = await save(view);
    if (template) saved(template);
  };
  return (
    <Dialog
      open
      onClose={unlessChanged(onClose)}
      title={title}
      footer={
        <DialogFooter view={view} isBusy={isBusy} onNew={() => edit(null, BLANK)} onCancel={unlessChanged(back)} />
      }
      wide
    >
      {view.kind === 'list' && (
        <TemplateList focus={view.focus} onBegin={begin} onEdit={(template) => edit(template, draftOf(template))} />
      )}
      {view.kind === 'reading' && <ReadSession sessionId={sessionId!} onRead={(draft) => edit(null, draft)} />}
      {view.kind === 'form' && (
        <TemplateForm
          draft={view.draft}
          problem={problem}
          onChange={(change) => setView({ ...view, draft: { ...view.draft, ...change } })}
          onSubmit={() => void submit()}
        />
      )}
      <DiscardDialog
        isOpen={leave !== null}
        onStay={() => setLeave(null)}
        onDiscard={() => {
          setLeave(null);
          leave?.();
        }}
      />
    </Dialog>
  );
}

function useTitle(view: View, isSession: boolean): string {
  const text = useText();
  if (isSession) return text('templates.saveTitle');
  if (view.kind !== 'form') return text('templates.title');
  return view.of ? text('templates.edit', { name: view.of.name }) : text('templates.new');
}

/** Opened from a session, the dialog closes and a notice says where to find the template. */
function useSaved(isSession: boolean, onClose: () => void, showList: (focus: string) => void) {
  const text = useText();
  return ({ id, name }: SessionTemplate) => {
    if (!isSession) return showList(id);
    onClose();
    notify({ title: text('templates.saved', { name }) });
  };
}

/** A click outside the dialog does not discard what was written. */
function DiscardDialog({ isOpen, onStay, onDiscard }: { isOpen: boolean; onStay(): void; onDiscard(): void }) {
  const text = useText();
  return (
    <Dialog
      open={isOpen}
      onClose={onStay}
      title={text('agents.leaveTitle')}
      footer={
        <>
          <Button look="danger" onClick={onDiscard}>
            {text('agents.discard')}
          </Button>
          <Button look="primary" onClick={onStay}>
            {text('agents.keepEditing')}
          </Button>
        </>
      }
    >
      {text('agents.leaveHint')}
    </Dialog>
  );
}

interface Saving {
  /** Null: a new one. */
  readonly of: SessionTemplate | null;
  readonly start: Draft;
  readonly draft: Draft;
}

/** Saves what is new, or what was changed here: fields that were changed elsewhere meanwhile stay. Null when it could not. */
function useSaveTemplate() {
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const save = async ({ of, start, draft }: Saving): Promise<SessionTemplate | null> => {
    setBusy(true);
    setProblem(null);
    try {
      const saved = of
        ? await client.call('patchSessionTemplate', { templateId: of.id, body: changesOf(start, draft) })
        : await client.call('createSessionTemplate', { body: toFields(draft) });
      await queries.invalidateQueries({ queryKey: ['session-templates'] });
      return saved;
    } catch (error) {
      setProblem(error as Error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { save, isBusy, problem, forget: () => setProblem(null) };
}

/** Reads how a session began, for a template that begins like it. */
function ReadSession({ sessionId, onRead }: { sessionId: string; onRead(draft: Draft): void }) {
  const live = useLiveConnection();
  const query = useQuery({
    queryKey: ['template-from', sessionId],
    queryFn: () => read(live, sessionId),
    gcTime: 0,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the session was read, whatever the callback is
  useEffect(() => {
    if (data) onRead(data);
  }, [data]);
  return <Loaded query={query}>{() => null}</Loaded>;
}

async function read(live: Live, sessionId: string): Promise<Draft> {
  await finishDeletions(live, sessionId);
  const { client } = live;
  const [session, { messages }, { templates }] = await Promise.all([
    client.call('getSession', { sessionId }),
    client.call('listMessages', { sessionId, query: { after: 0, limit: 1 } }),
    client.call('listSessionTemplates'),
  ]);
  const [first] = messages;
  const words = first?.role === 'user' && first.agent === null ? first.text : '';
  const taken = templates.map(({ name }) => name);
  return draftFrom(session, words, taken);
}

interface FooterProps {
  view: View;
  isBusy: boolean;
  onNew(): void;
  onCancel(): void;
}

function DialogFooter({ view, isBusy, onNew, onCancel }: FooterProps) {
  const text = useText();
  if (view.kind === 'list') return <NewButton isWanted={view.focus === NEW} onNew={onNew} />;
  return (
    <>
      <Button onClick={onCancel}>{text('action.cancel')}</Button>
      {/* Kept where the keyboard is: a button that cannot be pressed would lose it. */}
      <Button
        look="primary"
        type="submit"
        form={FORM_ID}
        disabled={view.kind !== 'form' || !isComplete(view.draft)}
        aria-disabled={isBusy}
      >
        {text('agents.save')}
      </Button>
    </>
  );
}

function NewButton({ isWanted, onNew }: { isWanted: boolean; onNew(): void }) {
  const text = useText();
  const isFirst = useTemplates().length === 0;
  return (
    <Button autoFocus={isWanted} look={isFirst ? 'primary' : 'outline'} onClick={onNew}>
      <Plus size={14} />
      {text('templates.new')}
    </Button>
  );
}
