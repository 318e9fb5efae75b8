import { useNavigate } from '@tanstack/react-router';
import { ArrowRight, Check } from 'lucide-react';
import { useState } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import { fillText } from '../../../contract/fill-text.ts';
import { en } from '../../i18n/en.ts';
import { language, useText, text as words } from '../../i18n/text.ts';
import type { Live } from '../../live/live.ts';
import { useLive, useLiveConnection } from '../../live/use-live.ts';
import { deviceMemory } from '../../state/device-memory.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { firstSteps, type Step, type StepKind } from './first-steps.ts';

const KEY = 'parley.firstSteps';

/** Things to try, one click each, until all were tried or the person dismisses them. */
export function FirstSteps({ agents }: { agents: readonly Agent[] }) {
  const text = useText();
  const isListed = useLive((state) => state.isListed);
  const [done, setDone] = useState(readDone);
  const steps = firstSteps(agents);
  const note = (kinds: readonly StepKind[]) => {
    const next = new Set([...done, ...kinds]);
    deviceMemory.setItem(KEY, [...next].join(' '));
    setDone(next);
  };
  if (!isListed || steps.every(({ kind }) => done.has(kind))) return null;
  const isForeign = language() !== 'en' && steps.some(({ isDemo }) => isDemo);
  const hint = isForeign ? text('dashboard.demoEnglish') : undefined;
  const dismiss = (
    <Button look="plain" onClick={() => note(steps.map(({ kind }) => kind))}>
      {text('dashboard.dismissSteps')}
    </Button>
  );
  return (
    <Section title={text('dashboard.firstSteps')} hint={hint} actions={dismiss}>
      <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
        {steps.map((step) => (
          <StepRow key={step.kind} step={step} isDone={done.has(step.kind)} onBegin={() => note([step.kind])} />
        ))}
      </ol>
    </Section>
  );
}

function StepRow({ step, isDone, onBegin }: { step: Step; isDone: boolean; onBegin(): void }) {
  const text = useText();
  const live = useLiveConnection();
  const navigate = useNavigate();
  const open = (sessionId: string) => navigate({ to: '/sessions/$sessionId', params: { sessionId } });
  const begin = () => {
    onBegin();
    tryOut(live, step, open).catch((error: Error) => notify({ title: error.message }));
  };
  return (
    <li>
      <button
        type="button"
        onClick={begin}
        className="flex min-h-11 w-full items-center gap-3 px-3 py-2 text-left hover:bg-hover"
      >
        <span className="min-w-0 flex-1">
          <span className="block font-medium">
            {text(`dashboard.step.${step.kind}`, { name: step.other?.displayName ?? '' })}
          </span>
          <span className="block text-fg-2">“{wordsOf(step)}”</span>
        </span>
        {isDone ? (
          <Check size={15} aria-label={text('dashboard.stepDone')} className="flex-none text-[var(--st-completed)]" />
        ) : (
          <ArrowRight size={15} aria-hidden="true" className="flex-none text-fg-3" />
        )}
      </button>
    </li>
  );
}

function wordsOf({ kind, other, isDemo }: Step): string {
  const values = { name: other?.displayName ?? '', id: other?.agentId ?? '' };
  return isDemo ? fillText(en[`dashboard.say.${kind}`], values) : words(`dashboard.say.${kind}`, values);
}

async function tryOut(live: Live, step: Step, open: (sessionId: string) => Promise<unknown>): Promise<void> {
  const session = await live.client.call('createSession', { body: { agentId: step.agentId } });
  live.note(session);
  await live.client.sendMessage(session.id, { content: wordsOf(step) });
  await open(session.id);
}

function readDone(): ReadonlySet<string> {
  return new Set((deviceMemory.getItem(KEY) ?? '').split(' ').filter(Boolean));
}
