import type { ArtifactConflict } from './artifacts.ts';
import type { Text, TextRef } from './texts.ts';

/** Every code a caller can meet, and the HTTP status it stands for. Codes are stable; words may improve. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  unsupported_parameter: 400,
  json_too_deep: 400,
  unauthorized: 401,
  sign_in_code_invalid: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  route_not_found: 404,
  session_not_found: 404,
  message_not_found: 404,
  turn_not_found: 404,
  agent_not_found: 404,
  kept_memory_not_found: 404,
  tool_not_found: 404,
  tool_call_not_found: 404,
  action_not_found: 404,
  grant_not_found: 404,
  file_not_found: 404,
  share_not_found: 404,
  sign_in_not_found: 404,
  session_template_not_found: 404,
  team_not_found: 404,
  knowledge_not_found: 404,
  schedule_not_found: 404,
  memory_not_found: 404,
  webhook_not_found: 404,
  webhook_delivery_not_found: 404,
  webhook_refused: 401,
  push_subscription_not_found: 404,
  panel_command_not_found: 404,
  artifact_not_found: 404,
  artifact_item_not_found: 404,
  artifact_version_not_found: 404,
  mcp_server_not_found: 404,
  tool_not_allowed: 403,
  agent_not_exposed: 403,
  turn_token_invalid: 401,
  callback_refused: 401,
  method_not_allowed: 405,
  agent_required: 422,
  message_id_conflict: 409,
  session_id_taken: 409,
  session_name_taken: 409,
  session_template_name_taken: 409,
  team_name_taken: 409,
  team_changed: 409,
  schedule_name_taken: 409,
  memory_changed: 409,
  webhook_name_taken: 409,
  webhook_paused: 409,
  webhook_delivery_withdrawn: 409,
  schedule_ended: 409,
  session_busy: 409,
  turn_not_queued: 409,
  turn_not_settled: 409,
  agent_exists: 409,
  agent_name_taken: 409,
  agent_name_reserved: 422,
  agent_card_none: 422,
  agent_version_stale: 409,
  agent_card_changed: 409,
  turn_ended: 409,
  callback_gap: 409,
  agent_not_writable: 409,
  agent_in_use: 409,
  action_settled: 409,
  definitions_changed: 409,
  nothing_to_compact: 409,
  nothing_to_share: 409,
  file_in_use: 409,
  artifact_conflict: 409,
  artifact_id_taken: 409,
  knowledge_id_taken: 409,
  artifact_item_id_taken: 409,
  artifact_deleted: 409,
  artifact_change_undone: 409,
  body_too_large: 413,
  message_too_large: 413,
  file_too_large: 413,
  share_too_large: 413,
  unsupported_media_type: 415,
  action_answer_invalid: 422,
  transcription_not_configured: 422,
  file_unknown: 422,
  file_empty: 422,
  too_many_files: 422,
  too_many_session_templates: 422,
  too_many_teams: 422,
  team_invalid: 422,
  too_many_artifacts: 422,
  kept_files_too_large: 422,
  too_many_items: 422,
  artifact_value_invalid: 422,
  time_zone_unknown: 422,
  knowledge_format_unknown: 422,
  knowledge_name_fixed: 422,
  too_much_knowledge: 422,
  schedule_invalid: 422,
  too_many_schedules: 422,
  too_many_memories: 422,
  too_many_webhooks: 422,
  webhook_invalid: 422,
  webhook_url_refused: 422,
  webhook_message_empty: 422,
  too_many_push_subscriptions: 422,
  tool_input_invalid: 422,
  configuration_invalid: 422,
  command_unconfirmed: 422,
  import_invalid: 422,
  steer_unsupported: 422,
  workspace_refused: 422,
  search_invalid: 422,
  mcp_server_failed: 502,
  agent_card_unusable: 502,
  transcription_failed: 502,
  push_failed: 502,
  compaction_failed: 502,
  queue_full: 429,
  too_many_attempts: 429,
  too_many_unsent_files: 429,
  too_many_streams: 429,
  too_many_tool_calls: 429,
  too_many_webhook_calls: 429,
  too_many_hops: 508,
  internal_error: 500,
  data_folder_unusable: 500,
  overloaded: 503,
  turn_not_ready: 503,
  shutting_down: 503,
  storage_damaged: 503,
  storage_unavailable: 503,
  storage_unconfirmed: 503,
  storage_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An RFC 9457 problem document. `code` is what programs read, `detail` what people read. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  requestId?: string;
  /** For a translation of `detail`. */
  text?: TextRef;
  /** One entry per offending place, `agents[2].toolAllowlist[0] must be a string`. */
  issues?: string[];
  /** Of `artifact_conflict`: the fields that were changed by others. */
  conflicts?: ArtifactConflict[];
}

interface ErrorDetails {
  issues?: string[];
  conflicts?: ArtifactConflict[];
  retryAfterSeconds?: number;
}

/** The one error that modules throw to each other on purpose. Its message is written for the person who caused it. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly text: TextRef | undefined;
  readonly issues: string[] | undefined;
  readonly conflicts: ArtifactConflict[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string | Text, more: ErrorDetails = {}) {
    super(typeof message === 'string' ? message : message.message);
    this.name = 'AppError';
    this.code = code;
    this.text = typeof message === 'string' ? undefined : { key: message.key, values: message.values };
    this.issues = more.issues;
    this.conflicts = more.conflicts;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
