import type { PermissionMode } from '../../../../contract/agent-settings.ts';
import type { TurnInput } from '../../agent.ts';

/** What Codex may do by itself; it asks for everything else. */
const SANDBOX = {
  default: { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  acceptEdits: { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
  plan: { approvalPolicy: 'untrusted', sandbox: 'read-only' },
} as const satisfies Record<PermissionMode, object>;

/** A guest acts not at all: it may read, and everything that it would have to ask for is declined. */
const GUEST = { approvalPolicy: 'never', sandbox: 'read-only' } as const;

/** The configuration of a guest: the model is offered no tool that acts, since Codex does not tell of all that it refuses. */
export const NO_TOOLS = {
  features: {
    default_mode_request_user_input: false,
    shell_tool: false,
    multi_agent: false,
    view_image: false,
    goals: false,
    sleep_tool: false,
  },
  web_search: 'disabled',
};

/** Codex tries for ever to reach its provider. */
export const RECONNECT_MS = 120_000;

export function sandboxOf(mode: PermissionMode, { textOnly }: Pick<TurnInput, 'textOnly'>) {
  return textOnly ? GUEST : SANDBOX[mode];
}
