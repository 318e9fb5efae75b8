import { useState } from 'react';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/text.ts';
import { beginFrom } from '../../state/begin-from.ts';
import { useSessionDeps } from '../../state/session-deps.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { holdKeyboard } from '../../ui/hold-keyboard.ts';
import { notify } from '../../ui/toast.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { DiscardDialog } from './discard-dialog.tsx';
import { BLANK, type Draft, draftOf, isSame } from './draft.ts';
import { ReadSession } from './read-session.tsx';
import { TemplateForm } from './template-form.tsx';
import { TemplateList } from './template-list.tsx';
import { useSaveTemplate } from './use-save-template.ts';
import { NEW, type View } from './view.ts';

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
    holdKeyboard();
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

/** Whoever came from a session goes back there, and learns where to find the template. */
function useSaved(isSession: boolean, onClose: () => void, showList: (focus: string) => void) {
  const text = useText();
  return ({ id, name }: SessionTemplate) => {
    if (!isSession) return showList(id);
    onClose();
    notify({ title: text('templates.saved', { name }) });
  };
}
