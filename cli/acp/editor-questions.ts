import {
  type CreateElicitationResponse,
  methods,
  type PermissionOption,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { Action, AnswerAction, Decision, QuestionField } from '../../contract/actions.ts';
import { parseInput } from './call-update.ts';
import type { EditorDeps } from './editor-session.ts';

/** What waits for the person is asked in the editor, and answered once: there, or elsewhere meanwhile. */
export class EditorQuestions {
  readonly #deps: EditorDeps;
  readonly #sessionId: string;
  readonly #asking = new Map<string, AbortController>();

  constructor(deps: EditorDeps, sessionId: string) {
    this.#deps = deps;
    this.#sessionId = sessionId;
  }

  ask(action: Action): void {
    const asking = new AbortController();
    this.#asking.set(action.id, asking);
    // A failed turn is told as the end of the prompt. What the editor does not answer still waits at the server.
    if (action.kind !== 'failure') void this.#ask(action, asking.signal).catch(() => undefined);
  }

  settled({ id }: Action): void {
    this.#asking.get(id)?.abort();
    this.#asking.delete(id);
  }

  cancel(): void {
    for (const asking of this.#asking.values()) asking.abort();
    this.#asking.clear();
  }

  async #ask(action: Action, signal: AbortSignal): Promise<void> {
    const body = action.kind === 'question' ? await this.#elicit(action, signal) : await this.#permit(action, signal);
    if (!body || signal.aborted) return;
    this.#asking.delete(action.id);
    await this.#deps.client.call('answerAction', { actionId: action.id, body });
  }

  async #permit(action: Action, signal: AbortSignal): Promise<AnswerAction | null> {
    const { approval, title, id } = action;
    const content = approval?.result ? [text(approval.result)] : approval ? [] : [text(title)];
    const toolCall = {
      toolCallId: approval?.callId ?? id,
      title,
      status: 'pending' as const,
      ...(approval && { rawInput: parseInput(approval.input), kind: KINDS[approval.risk] }),
      content,
    };
    const { outcome } = await this.#deps.editor.request<RequestPermissionResponse>(
      methods.client.session.requestPermission,
      { sessionId: this.#sessionId, toolCall, options: optionsOf(action) },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    return outcome.outcome === 'selected' ? { decision: outcome.optionId as Decision } : null;
  }

  async #elicit({ question }: Action, signal: AbortSignal): Promise<AnswerAction> {
    const fields = question?.fields ?? [{ name: 'answer', type: 'text' as const, required: true }];
    const answer = await this.#deps.editor.request<CreateElicitationResponse>(
      methods.client.elicitation.create,
      { mode: 'form', sessionId: this.#sessionId, message: question!.question, requestedSchema: toSchema(fields) },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (answer.action !== 'accept') return { decision: 'decline' };
    const values = ('content' in answer ? answer.content : {}) as Record<string, string | number | boolean | string[]>;
    if (question?.fields) return { decision: 'answer', values };
    return { decision: 'answer', text: String(values.answer ?? '') };
  }
}

/** What was typed instead of filling in a form. */
export function answerOf({ question }: Action, typed: string): AnswerAction {
  const [field] = question?.fields ?? [];
  return field ? { decision: 'answer', values: { [field.name]: typed } } : { decision: 'answer', text: typed };
}

const KINDS = { read: 'read', write: 'edit', execute: 'execute' } as const;

function text(words: string) {
  return { type: 'content' as const, content: { type: 'text' as const, text: words } };
}

const ONCE: PermissionOption = { optionId: 'once', name: 'Allow', kind: 'allow_once' };
const DENY: PermissionOption = { optionId: 'deny', name: 'Deny', kind: 'reject_once' };

function optionsOf({ kind, approval }: Action): PermissionOption[] {
  if (kind === 'limit')
    return [
      { optionId: 'continue', name: 'Continue', kind: 'allow_once' },
      { optionId: 'stop', name: 'Stop', kind: 'reject_once' },
    ];
  if (approval?.onceOnly) return [ONCE, DENY];
  const longer: PermissionOption[] = [
    { optionId: 'session', name: 'Allow in this session', kind: 'allow_always' },
    { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  ];
  return [ONCE, ...longer, DENY];
}

function toSchema(fields: readonly QuestionField[]) {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map((field) => [field.name, toProperty(field)]));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

function toProperty({ type, label, options, default: given }: QuestionField): object {
  const common = { ...(label && { title: label }), ...(given !== undefined && { default: given }) };
  switch (type) {
    case 'choice':
      return { ...common, type: 'string', enum: options ?? [] };
    case 'choices':
      return { ...common, type: 'array', items: { type: 'string', enum: options ?? [] } };
    case 'text':
      return { ...common, type: 'string' };
    case 'number':
    case 'integer':
    case 'boolean':
      return { ...common, type };
    default:
      return type satisfies never;
  }
}
