import { type Text, type TextRef, toTextRef } from '../../contract/texts.ts';
import { ToolFailure } from '../tools/tool.ts';

/** Why a delegation is refused. The codes are stable; the words may improve. */
export type DelegationCode =
  | 'agent_not_found'
  | 'agent_not_allowed'
  | 'agent_unavailable'
  | 'delegation_self'
  | 'delegation_cycle'
  | 'delegation_stopped'
  | 'session_not_found'
  | 'session_in_chain'
  | 'queue_full'
  | 'message_too_large'
  | 'no_turn';

export class DelegationRefused extends ToolFailure {
  declare readonly code: DelegationCode;
  /** For a translation of the message. */
  readonly text: TextRef | undefined;

  constructor(code: DelegationCode, why: string | Text, text?: TextRef) {
    super(typeof why === 'string' ? why : why.message, code);
    this.name = 'DelegationRefused';
    this.text = typeof why === 'string' ? text : toTextRef(why);
  }
}
