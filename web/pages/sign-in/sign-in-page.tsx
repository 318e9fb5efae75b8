import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import type { PageTextKey } from '../../i18n/en.ts';
import { useText } from '../../i18n/page-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { readCode, signIn, signInFailure, takeCodeFromAddress } from '../../state/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { useCopy } from '../../ui/use-copy.ts';

/** This browser is not known here: how it gets in. */
export default function SignInPage() {
  const text = useText();
  const title = text('signIn.title');
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main data-touch="" className="grid min-h-full place-items-center p-4">
      <div className="w-full max-w-sm">
        <img src="/icon.svg" alt="" width={36} height={36} />
        <h1 className="mt-4 text-xl font-semibold">{title}</h1>
        <p className="mt-1 text-md text-fg-2">{text('signIn.why')}</p>
        <ol className="mt-5 space-y-3">
          <li>
            <p>{text('signIn.open')}</p>
            <OpenCommand />
          </li>
          <li>{text('signIn.link')}</li>
        </ol>
        <PasteForm />
      </div>
    </main>
  );
}

/** With npx it works from a checkout as well as where Parley is installed for good. */
const COMMAND = 'npx parley open';

function OpenCommand() {
  const text = useText();
  const { copied, copy } = useCopy();
  return (
    <div className="mt-1 flex items-center gap-2 rounded-md border border-line bg-surface py-1 pr-1 pl-2.5">
      <code className="min-w-0 flex-1 font-mono text-xs select-all">{COMMAND}</code>
      <Button className="pointer-coarse:h-11" onClick={() => copy(COMMAND)}>
        {text(copied ? 'copy.done' : 'message.copy')}
      </Button>
    </div>
  );
}

function PasteForm() {
  const text = useText();
  const id = useId();
  const [pasted, setPasted] = useState('');
  const { problem, busy, send } = useSignIn();
  useLinkInThisTab(send);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(pasted);
  };
  return (
    <form onSubmit={submit} className="mt-6 border-t border-line pt-5">
      <label htmlFor={id} className="font-medium">
        {text('signIn.paste')}
      </label>
      <div className="mt-1.5 flex gap-2">
        <input
          id={id}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 font-mono text-xs"
        />
        <Button look="primary" type="submit" disabled={busy || pasted.trim() === ''} className="h-8">
          {text('signIn.enter')}
        </Button>
      </div>
      <p id={`${id}-problem`} role="alert" className="mt-2 min-h-5 text-danger">
        {problem}
      </p>
    </form>
  );
}

function useSignIn() {
  const text = useText();
  const { client } = useLiveConnection();
  const before = signInFailure();
  const [problem, setProblem] = useState<string | null>(before && text(keyOf(before)));
  const [busy, setBusy] = useState(false);
  const send = (pasted: string) => {
    const code = readCode(pasted);
    if (code === null) return setProblem(text('signIn.noCode'));
    setBusy(true);
    setProblem(null);
    signIn(client, code).then(
      () => location.reload(),
      (error: Error) => {
        setBusy(false);
        setProblem(text(keyOf(error)));
      },
    );
  };
  return { problem, busy, send };
}

/** A sign-in link that is opened where this page already is changes only the fragment: the page is not loaded again. */
function useLinkInThisTab(send: (code: string) => void): void {
  const newest = useRef(send);
  useEffect(() => {
    newest.current = send;
  });
  useEffect(() => {
    const follow = () => {
      const code = takeCodeFromAddress();
      if (code) newest.current(code);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
}

function keyOf(error: Error): PageTextKey {
  if (!(error instanceof AppError)) return 'signIn.unreachable';
  if (error.code === 'too_many_attempts') return 'signIn.tooMany';
  return error.code === 'sign_in_code_invalid' ? 'signIn.used' : 'error.unknown';
}
