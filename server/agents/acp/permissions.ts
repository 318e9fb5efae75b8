import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { TurnHost } from '../agent.ts';
import type { Permission } from '../host-requests.ts';
import { diffsOf, inputOf, type KnownCall, nameOf, parleyToolOf, riskOf } from './describe-call.ts';
import type { ToolCalls } from './tool-calls.ts';

/** What the person has allowed in this turn, and what the program may do itself because of that. */
export interface Allowed {
  readonly call: KnownCall;
  /** A terminal was opened for it: it covers no other. */
  isUsed: boolean;
}

export interface PermissionDeps {
  readonly host: TurnHost;
  readonly folder: string;
  /** Names of Parley's tools in this turn. Whether they may run is decided when they are called. */
  readonly offered: ReadonlySet<string>;
  readonly textOnly: boolean;
}

/** A program's requests for permission, decided by the same policy as everything else. */
export class Permissions {
  readonly #deps: PermissionDeps;
  readonly #calls: ToolCalls;
  readonly #cancelled = Promise.withResolvers<'cancelled'>();
  readonly #allowed: Allowed[] = [];
  #pending = 0;

  constructor(deps: PermissionDeps, calls: ToolCalls) {
    this.#deps = deps;
    this.#calls = calls;
  }

  /** The person is being asked. */
  get isWaiting(): boolean {
    return this.#pending > 0;
  }

  /** Every request that waits is answered with `cancelled`, and so is every later one. */
  cancel(): void {
    this.#cancelled.resolve('cancelled');
  }

  async answer({ toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const call = this.#calls.asked(toolCall);
    if (this.#deps.textOnly) return reject(options);
    if (parleyToolOf(call, this.#deps.offered) !== null) return allow(options);
    const decided = await this.ask(call);
    if (decided === 'cancelled') return CANCELLED;
    // A program cannot be made to run something else than it asked for.
    if (!decided.allowed || decided.input !== undefined) return reject(options);
    this.#allowed.push({ call, isUsed: false });
    return allow(options);
  }

  async ask(call: KnownCall): Promise<Permission | 'cancelled'> {
    const result = diffsOf(call);
    this.#pending += 1;
    try {
      const asked = this.#deps.host.approve({
        callId: call.toolCallId,
        name: nameOf(call),
        ...(call.title && { description: call.title }),
        input: inputOf(call),
        risk: riskOf(call.kind),
        ...(call.kind === 'fetch' && { sends: true }),
        folder: this.#deps.folder,
        ...(result !== undefined && { result }),
      });
      asked.catch(() => undefined);
      return await Promise.race([asked, this.#cancelled.promise]);
    } finally {
      this.#pending -= 1;
    }
  }

  /** What was allowed in this turn and fits; undefined when the person has to be asked. */
  find(fits: (allowed: Allowed) => boolean): Allowed | undefined {
    return this.#allowed.find(fits);
  }
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/** Once only: what is allowed for longer is remembered by Parley, which is asked again. */
function allow(options: readonly PermissionOption[]): RequestPermissionResponse {
  const option = options.find(({ kind }) => kind === 'allow_once');
  return option ? select(option) : reject(options);
}

function reject(options: readonly PermissionOption[]): RequestPermissionResponse {
  const option = ['reject_once', 'reject_always'].map((kind) => options.find((one) => one.kind === kind)).find(Boolean);
  return option ? select(option) : CANCELLED;
}

function select({ optionId }: PermissionOption): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } };
}
