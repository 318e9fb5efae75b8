import { type ReactNode, useState } from 'react';
import { AppError } from '../../contract/errors.ts';
import { useText } from '../i18n/agent-words.ts';
import type { AgentTextKey } from '../i18n/en.ts';
import { Button } from './button.tsx';
import { type ConfirmedProgram, readConfirmation } from './confirmation.ts';
import { Dialog } from './dialog.tsx';

/** The person did not allow it, so nothing was changed. */
export class NotConfirmed extends Error {}

/** What the person is asked, and the answer. */
interface Question {
  readonly what: string;
  answer(isAllowed: boolean): void;
}

export type Change<T> = (confirm: string | undefined) => Promise<T>;

export interface Confirming {
  /**
   * Makes a change. Where it starts a program, or lets one do more, the person is asked first; then what they saw is
   * repeated. `known`: what they are asked about in any case.
   */
  run<T>(change: Change<T>, known?: string): Promise<T>;
  /** Shown while the person is asked. */
  readonly dialog: ReactNode;
}

export function useConfirming(): Confirming {
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = (what: string) =>
    new Promise<boolean>((resolve) => {
      const answer = (isAllowed: boolean) => {
        setQuestion(null);
        resolve(isAllowed);
      };
      setQuestion({ what, answer });
    });
  return {
    run: (change, known) => runConfirmed(change, ask, known),
    dialog: question && <ConfirmDialog {...question} />,
  };
}

/** What has to be confirmed can change between two attempts: then the person is asked about the new one. */
async function runConfirmed<T>(
  change: Change<T>,
  ask: (what: string) => Promise<boolean>,
  known: string | undefined,
): Promise<T> {
  let confirmed = known;
  if (known !== undefined && !(await ask(known))) throw new NotConfirmed();
  for (;;) {
    try {
      return await change(confirmed);
    } catch (error) {
      const what = unconfirmed(error);
      if (what === undefined || what === confirmed) throw error;
      if (!(await ask(what))) throw new NotConfirmed();
      confirmed = what;
    }
  }
}

function unconfirmed(error: unknown): string | undefined {
  return error instanceof AppError && error.code === 'command_unconfirmed' ? error.issues?.[0] : undefined;
}

function ConfirmDialog({ what, answer }: Question) {
  const text = useText();
  return (
    <Dialog
      open
      wide
      title={text('agents.confirmTitle')}
      onClose={() => answer(false)}
      footer={
        <>
          <Button look="plain" onClick={() => answer(false)}>
            {text('agents.confirmNo')}
          </Button>
          <Button look="primary" onClick={() => answer(true)}>
            {text('agents.confirmYes')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-fg-2">{text('agents.confirmHint')}</p>
      <ul className="space-y-3">
        {readConfirmation(what).map((program) => (
          <ProgramCard key={program.commandLine + program.rights.join()} program={program} />
        ))}
      </ul>
    </Dialog>
  );
}

/** Everything that is confirmed, word for word, and what follows from what is not in it. */
function ProgramCard({ program: { commandLine, variables, folder, rights } }: { program: ConfirmedProgram }) {
  const text = useText();
  return (
    <li className="rounded-lg border border-line bg-surface">
      <pre className="border-b border-line px-3 py-2.5 font-mono text-xs break-all whitespace-pre-wrap">
        {commandLine}
      </pre>
      <dl className="grid gap-x-4 gap-y-1 px-3 py-2.5 sm:grid-cols-[150px_minmax(0,1fr)]">
        <Row name="agents.confirmFolder">{folder ?? text('agents.confirmOwnFolder')}</Row>
        {variables.length > 0 && <Row name="agents.confirmVariables">{variables.join(', ')}</Row>}
        <Row name="agents.confirmRights">
          {rights.length === 0
            ? text('agents.confirmNoRights')
            : rights.map((right) => (
                <span key={right} className="block">
                  {right}
                </span>
              ))}
        </Row>
      </dl>
    </li>
  );
}

function Row({ name, children }: { name: AgentTextKey; children: ReactNode }) {
  const text = useText();
  return (
    <>
      <dt className="text-fg-2">{text(name)}</dt>
      <dd className="break-words max-sm:mb-1">{children}</dd>
    </>
  );
}
