import { useState } from 'react';
import { isBusy } from '../../../client/session-state.ts';
import type { WhenBusy } from '../../../contract/turns.ts';
import { text as say } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { draftOf } from '../../state/drafts.ts';
import { outboxOf } from '../../state/outbox.ts';
import { useSlots } from '../../state/slots.tsx';
import { attachmentsOf, detachAll } from './attachments.ts';
import { type CommandName, readLine } from './commands.ts';
import { leadOf } from './leading-names.ts';
import { type CommandDialog, useCommands } from './use-commands.ts';
import type { Writing } from './use-writing.ts';

/** Sends what is written, or does what it says. What cannot be sent stays in the box, with the reason under it. */
export function useSend(sessionId: string, writing: Writing, show: (dialog: CommandDialog) => void) {
  const live = useLiveConnection();
  const run = useCommands(sessionId, show);
  const { panels } = useSlots();
  const [problem, setProblem] = useState<{ text: string; why: string } | null>(null);
  const refuse = (text: string, why: string) => setProblem({ text, why });

  const sendWords = (content: string, how: WhenBusy, text: string) => {
    const { states, sessions } = live.store.getState();
    const state = states.get(sessionId);
    const isLate = state !== undefined && isBusy(state);
    const files = attachmentsOf(sessionId);
    if (!sessions.get(sessionId)?.agentId && leadOf(content) === null) return refuse(text, say('composer.nobody'));
    if (files.some(({ sent }) => sent === null)) return refuse(text, say('composer.attach.wait'));
    const added = panels.flatMap(({ beforeSend }) => beforeSend?.(sessionId) ?? []);
    outboxOf(live).send({
      sessionId,
      content: [content, ...added].join('\n\n'),
      busy: isLate ? how : 'queue',
      place: isLate && how !== 'interrupt' ? 'queue' : 'transcript',
      files: files.flatMap(({ sent }) => sent ?? []),
    });
    detachAll(sessionId);
    writing.put('', 0);
  };
  const runCommand = async (name: CommandName, argument: string, text: string) => {
    writing.put('', 0);
    if (!(await run(name, argument)) && draftOf(sessionId) === '') writing.put(text, text.length);
  };
  const send = (how: WhenBusy, text: string = writing.text) => {
    if (text.trim() === '' && attachmentsOf(sessionId).length === 0) return;
    const line = readLine(text);
    switch (line.kind) {
      case 'words':
        return sendWords(line.text.trim(), how, text);
      case 'command':
        return void runCommand(line.name, line.argument, text);
      case 'unknown':
      case 'incomplete':
      case 'surplus':
        return refuse(text, say(`composer.line.${line.kind}`, { name: line.name }));
      default:
        return line satisfies never;
    }
  };
  return { send, notice: problem && problem.text === writing.text ? problem.why : null };
}
