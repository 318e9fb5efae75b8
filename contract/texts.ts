import { z } from 'zod';
import { fillText } from './fill-text.ts';

/**
 * What the server tells people, in English: refusals, failed turns, outcomes of tool calls, decisions about scope. Other
 * languages translate by key; `fillText` fills in `{name}`. A key is an error code, an error code and a special case, or
 * a group and its case.
 */
export const TEXTS = {
  action_not_found: 'Action not found: {id}.',
  action_settled: 'This was already settled: {how}.',
  agent_exists: 'An agent with the ID {id} already exists.',
  'agent_exists.file': '{file} already defines another agent.',
  agent_in_use: "Can't delete {id}: it is used by {users}.",
  agent_name_reserved: '"{name}" is a reserved name. Choose another one.',
  agent_name_taken: 'The agent {id} is already called "{name}". Choose another name.',
  agent_not_found: 'Agent not found: {id}.',
  'agent_not_found.list': 'Agent not found: {id}. Run `parley agents` for a list.',
  'agent_not_found.sampling': 'Only an agent that is running a turn has a model to ask.',
  'agent_not_found.template':
    'The template "{name}" uses {id}, which no longer exists. Change the template or choose another agent.',
  agent_not_writable: "Can't write {file} ({reason}).",
  'agent_not_writable.path': "Can't write {file}: its path contains a link or something that is not a folder.",
  agent_required: 'This session has no agent. Choose the agent that should reply.',
  'agent_required.summary': 'This session has no agent. Choose the agent that should write the summary.',
  agent_version_stale: '{id} changed since you loaded it. Reload it and try again.',
  'agent_version_stale.file': '{file} was changed elsewhere. Reload it and try again.',
  'agent_warning.file': 'The file has errors, so the last version without errors is in use. {problem}',
  'agent_warning.reasoningEffort': 'reasoningEffort has no effect: it is not sent to {model}.',
  'agent_warning.signIn':
    '{title} does not seem to be signed in. Run `{signIn}` in a terminal on the server, and sign in.',
  'agent_warning.skills':
    'toolExposure is "skills", but the agent may not use bash, which skills need. Allow bash, or set toolExposure to "tools".',
  'agent_warning.temperature': 'temperature has no effect: with these settings it is not sent to {model}.',
  body_too_large: 'The request is larger than {limit} bytes.',
  command_unconfirmed: 'This agent starts a program on this machine. Confirm the command: {commands}',
  compaction_failed: "Couldn't create a summary: {reason}",
  'compaction_failed.agent': "{agent} can't write summaries. Choose another agent.",
  'compaction_failed.changed': 'The session changed while it was being summarised. Try again.',
  'compaction_failed.longer':
    'The summary is no shorter than the messages it would replace, so the messages were kept. Try another agent.',
  configuration_invalid: 'The configuration is invalid: {issues}',
  definitions_changed: 'The tools of {name} changed since you reviewed them. {advice}',
  file_empty: 'The file is empty.',
  'file_empty.audio': 'The recording is empty.',
  file_in_use: 'The file belongs to a message. Delete the message instead.',
  file_not_found: 'File not found: {id}.',
  file_too_large: 'The file is larger than {limit} bytes.',
  file_unknown: 'File not found: {id}. Upload it again.',
  grant_not_found: 'Saved approval not found: {id}.',
  host_not_allowed: "This server doesn't accept requests for that host name. Add the name to server.allowedHosts.",
  import_invalid: "Can't import this file: {issue}{more}. Nothing was imported.",
  invalid_json: 'The request body is not valid JSON.',
  'invalid_request.attributeKey': 'attributes must not contain the key {key}.',
  'invalid_request.attributes': 'attributes can hold at most {limit} characters of JSON.',
  'invalid_request.body': 'This request needs a JSON body.',
  'invalid_request.cursor': 'Invalid cursor. Start again without it.',
  'invalid_request.cut': 'The request ended before its body was complete.',
  'invalid_request.editOwn': 'Only user messages can be edited.',
  'invalid_request.empty': 'A message needs text or a file.',
  'invalid_request.eventId': 'Last-Event-ID must be an event id issued by this server.',
  'invalid_request.hosts': 'A request must have exactly one Host header.',
  'invalid_request.page': 'Use before or after, not both.',
  'invalid_request.parameter': 'Unknown parameter: {name}.',
  'invalid_request.period': 'from must not be later than to.',
  'invalid_request.queuedDelete': 'This message is still queued. Remove it from the queue instead.',
  'invalid_request.queuedEdit': 'This message is still queued. Edit it in the queue.',
  json_too_deep: 'JSON can be nested at most {limit} levels deep.',
  kept_memory_not_found: 'No memory of a deleted agent is kept as {holder}.',
  mcp_server_failed: "Can't use the MCP server {name}: {reason}",
  mcp_server_not_found: 'No MCP server named {name} is configured.',
  message_id_conflict: 'The message ID {id} was already used for another message.',
  message_not_found: 'Message not found: {id}.',
  message_too_large: 'The message is larger than {limit} bytes.',
  method_not_allowed: "This path doesn't support that method. See /api/openapi.json.",
  nothing_to_compact: 'There is too little to summarise yet.',
  nothing_to_share: 'This session has no messages yet.',
  origin_not_allowed: "Requests from other sites aren't allowed.",
  overloaded: 'The server is busy: too many messages are waiting. Nothing was saved; try again.',
  'overloaded.search': 'Too many searches are waiting. Try again.',
  program_failed: '{title} failed: {detail}',
  'program_failed.silent': '{title} did not answer for {seconds} seconds.',
  'program_failed.ended': 'The program ended before it had answered. {reason}',
  'program_failed.error': 'The program reported an error: {reason}',
  'program_failed.mode': 'The program has no mode "{mode}". Its modes: {modes}.',
  'program_failed.option': 'The program has no option "{option}". Change acp.configOptions.',
  'program_failed.refusal': 'The program refused to answer.',
  'program_failed.signedOut': 'The program is not signed in. Sign in with the program itself, then try again.',
  'program_failed.signIn': 'The program is not signed in. Set acp.authMethod to one of its ways to sign in: {methods}.',
  'program_failed.stopped': 'The program said nothing for {seconds} {seconds|second|seconds}, so it was stopped.',
  'program_failed.start': "Couldn't start the program. {reason}",
  'program_failed.version':
    'The program speaks version {version} of the Agent Client Protocol, which is not supported.',
  queue_full: 'The queue of this session is full ({count} {count|message|messages}).',
  route_not_found: 'Not found. See /api/openapi.json for the available routes.',
  session_busy: 'The session is busy. Wait for the reply, stop it, or queue the message.',
  'session_busy.branch': 'Stop the reply or wait for it before you switch branches.',
  'session_busy.compact': 'The session is busy. Summarise it when the reply has finished.',
  'session_busy.delete': 'Stop the reply or wait for it before you delete a message.',
  'session_busy.export': 'The session was cleared or deleted during the export.',
  'session_busy.retry': 'The session is busy. Stop the reply or wait for it, then try again.',
  'session_busy.share': 'The session changed while it was being copied. Share it again.',
  session_id_taken: 'A session with the ID {id} already exists.',
  session_name_taken: 'A session named "{name}" already exists.',
  session_not_found: 'Session not found: {id}.',
  'session_not_found.agent': "Session {id} doesn't belong to {agent}.",
  'session_not_found.deleted': 'The session was deleted.',
  'session_not_found.none': '{agent} has no session yet.',
  session_template_name_taken: 'A template named "{name}" already exists.',
  session_template_not_found: 'Session template not found: {id}.',
  share_not_found: 'Shared link not found: {id}.',
  'share_not_found.link': "This link doesn't exist or was revoked.",
  share_too_large:
    'The session is too long to share (limit {limit} bytes). Fork it from a later message and share the fork.',
  shutting_down: 'Parley is shutting down. Try again when it is back.',
  'shutting_down.search': 'Parley is shutting down.',
  sign_in_not_found: 'Sign-in not found: {id}.',
  sign_in_code_invalid: 'This sign-in link was used or has expired. Open Parley again from the terminal for a new one.',
  steer_unsupported: "{agent} can't take messages while it is working.",
  storage_damaged: 'The database is damaged. Stop Parley and restore a backup of the data folder.',
  storage_full: 'The disk or the storage quota is full. Nothing was saved; free some space and try again.',
  'storage_full.disk': 'The disk is full.',
  storage_unavailable: 'The database is unavailable. Nothing was saved; try again.',
  'storage_unavailable.search': 'The search was interrupted. Try again.',
  storage_unconfirmed:
    'The disk reported an error. The change may or may not have been saved. Reload to check, or send it again.',
  too_many_files: 'A message can have at most {limit} {limit|file|files}; this one has {count}.',
  too_many_session_templates: 'You have reached the limit of {limit} {limit|template|templates}. Delete one first.',
  too_many_attempts: 'Too many failed sign-in attempts. Try again in {seconds} {seconds|second|seconds}.',
  too_many_unsent_files: 'Unsent files can take up at most {limit} bytes. Send or remove some of them first.',
  too_many_tool_calls: 'The programs of this turn have made too many tool calls.',
  too_many_streams: 'Too many event streams are open (limit {limit}).',
  tool_call_not_found: 'Tool call not found: {id}.',
  'tool_not_allowed.guest': "Guests can't use tools.",
  'tool_not_allowed.off': '{name} is disabled: no agent is allowed to use it.',
  tool_not_found: 'Tool not found: {name}. Run `parley tools` for a list.',
  transcription_failed: "{host} couldn't transcribe the recording: {reason}",
  turn_not_found: 'Turn not found: {id}.',
  turn_not_queued: 'This message is no longer queued: its turn has started or ended.',
  'turn_not_queued.agent': 'An agent sent this message. Stop its turn instead.',
  'turn_not_queued.sent': 'This message was already sent. Edit and resend it instead.',
  turn_not_settled: 'This turn is still running. Stop it first.',
  turn_token_invalid: 'The turn this token belongs to has ended.',
  'turn_token_invalid.missing': 'Only programs that show the token of a running turn can use this.',
  'turn_token_invalid.over': 'The turn has ended.',
  'turn_token_invalid.stopped': 'The turn was stopped before this call finished.',
  unauthorized: 'Sign in, or send the token as `Authorization: Bearer`. The token is in the data folder.',
  unsupported_media_type: 'Send JSON with Content-Type: application/json.',
  'unsupported_media_type.audio': 'Send the recording with its own media type, such as audio/webm.',
  'unsupported_media_type.charset': 'Send JSON in UTF-8.',
  'unsupported_media_type.encoding': 'Send the body uncompressed, without Content-Encoding.',
  'unsupported_media_type.file': 'Send the file as is, with its media type as Content-Type.',
  'notice.fileNotKept': '{name} was not kept: it is empty, too large, or one of too many files.',
  'question.input': '{agent} needs an answer to go on.',
  'question.signIn': '{agent} needs you to sign in with it before it can go on. Answer when that is done.',
  workspace_refused: "Agents can't work in {folder}: it {problem}.",
  'workspace_refused.missing': 'The workspace folder does not exist: {folder}.',
  'workspace_refused.relative': 'The workspace must be an absolute path, not {folder}.',
  'workspace_refused.worktree': "Can't make a worktree of {folder}: {reason}",
  'notice.stateLost': '{agent} no longer had its earlier conversation. It was told what was said here again.',
  agent_card_changed: 'Its card changed since it was approved. Review it again with: parley agents card',
  'agent_card_changed.review': 'The card changed since you reviewed it. Review it again.',
  agent_card_none: '{id} has no card: only agents of type a2a have one.',
  agent_card_unusable: "The agent's card could not be read: {reason}.",
  agent_failed: 'The agent stopped without an error message.',
  'agent_failed.reason': '{agent} reported an error: {reason}',
  agent_gone: 'The agent {id} no longer exists. Send the message to another agent.',
  agent_idle: 'The agent gave no sign for {seconds} seconds, so the turn was stopped.',
  'agent_rejected.reason': '{agent} declined the task: {reason}',
  agent_unreachable: '{agent} could not be reached: {reason}',
  agent_removed: 'The agent {id} was deleted or replaced while it was working.',
  answer_too_large: 'The reply was too long and was cut off.',
  empty_answer: 'The model returned an empty reply.',
  internal_error: 'Something went wrong in Parley. See the server log.',
  server_stopped: 'Parley restarted during this reply. Regenerate to continue.',
  session_removed: 'Its session was deleted.',
  'session_removed.cleared': 'Its session was cleared.',
  'tools_not_allowed.own':
    "The agent tried to use a tool of its own, which it can't do as a guest, so the turn was stopped.",
  tools_not_allowed: "The agent only tried to use tools, which it can't do in this turn, and wrote no reply.",
  turn_failed: 'The reply failed.',
  turn_timeout: 'The reply took longer than allowed and was stopped.',
  'call.callerGone': 'Not run: the program that made this call has exited.',
  'call.callerLeft': 'Result unknown: the program that made this call exited while it was running.',
  'call.denied': 'The user denied this call.',
  'call.deniedBecause': 'The user denied this call: {reason}',
  'call.effectChanged':
    'Not run: the effect of this call changed after the user approved it. Make the call again to ask once more.',
  'call.folderChanged':
    'Not run: the working folder changed after the user approved this call. Make the call again to ask once more.',
  'call.notAnswered': 'Not run: the approval request was {state}.',
  'call.notRun': 'Not run: the turn was stopped first.',
  'call.policy': 'Blocked by the configuration: {rule}',
  'call.timedOut': 'The tool call took longer than allowed.',
  'call.unknown':
    'Result unknown: Parley stopped while this call was running. Do not repeat it without asking the user.',
  'approval.always': '{tool} always asks.',
  'approval.agent': 'approvals of {agent} sets "{pattern}" to {policy}.',
  'approval.own': '{agent} runs {tool} itself, and approvals of {agent} does not allow it.',
  'approval.readOnly': 'The session is read-only, and {tool} sends data to another server.',
  'approval.risk': 'approvals.{risk} in the configuration is set to {policy}.',
  'approval.sendsPrivate':
    "{tool} could send what {reader} can read with {reads} to another server, and approvals of {reader} doesn't allow it.",
  'approval.source': 'approval of {source} is set to {policy}.',
  'delegation.cycle': '{id} is already waiting for this answer ({chain}).',
  'delegation.noSession': '{id} has no session for delegated work yet.',
  'delegation.noTurn': 'Only an agent that is running a turn can ask another agent.',
  'delegation.notAllowed': "{id} can't be asked from here.",
  'delegation.notFound': 'Agent not found: {id}. Available agents: {names}.',
  'delegation.roundsStopped': 'Not delegated: the turn was stopped at its limit of delegation rounds.',
  'delegation.self': "An agent can't delegate to itself.",
  'delegation.sessionInChain': 'Session {session} is already in use by an agent in this chain.',
  'delegation.sessionNotFound': '{id} has no session {session}.',
  'delegation.stopped': 'The user stopped this at a limit.',
  'delegation.turnEnded': 'The turn that asked for this has ended.',
  'scope.allowed': '{list} of {agent} allows {name} ("{pattern}").',
  'scope.allowed.capability': '{list} of {agent} allows {name}, which {tool} needs ("{pattern}").',
  'scope.blocked': '{list} of {agent} blocks {name} ("{pattern}").',
  'scope.blocked.capability': '{list} of {agent} blocks {name}, which {tool} needs ("{pattern}").',
  'scope.ceiling': '{worker} works for {caller}: {reason}',
  'scope.configured': '{name} is configured for {agent} ("{pattern}").',
  'scope.hidden': "{name} is hidden (uiVisible is false), and agentAllowlist of {agent} doesn't name it.",
  'scope.noAgents': "agentAllowlist of {agent} is empty, so it can't use {name}.",
  'scope.noCommandLine': "{name} can't be called on the command line.",
  'scope.noSkills': 'toolExposure of {agent} is "tools", so it has no skills.',
  'scope.noCounterpart': 'Parley has no tool that can do as much ({risk}).',
  'scope.notConfigured': '{name} is not configured for {agent}.',
  'scope.notListed': '{list} of {agent} does not include {name}.',
  'scope.notListed.capability': '{list} of {agent} does not include {name}, which {tool} needs.',
  'scope.onlyAsSkill': 'toolExposure of {agent} is "skills": use {name} as `parley tool {plugin} {operation}`.',
  'scope.ownCeiling': '{worker} works for {caller} and can do no more than {caller} with {name}: {reason}',
  'scope.ownTool': '{agent} runs {name} itself: only toolDenylist and approvals apply to it.',
  'scope.readOnly': 'Session {id} is read-only, and {name} can do more than read.',
  'scope.reserved': '{name} of {source} uses a name that is reserved for built-in tools.',
  'scope.self': "{agent} can't message itself.",
  'scope.skillNeedsBash': `toolExposure of {agent} is "{exposure}": {plugin} would need bash, which {agent} can't use.`,
  'scope.skillWithoutTools': `toolExposure of {agent} is "{exposure}", and {agent} can't use any tool of {plugin}.`,
  'scope.system': '{name} is built in and available to every agent.',
  'scope.unknownTool': 'Tool not found: {name}.',
  'scope.unrestricted': 'Nothing restricts {name} for {agent}.',
  'search_invalid.empty': 'Enter a word to search for, or a filter such as after:2026-01-31.',
  'search_invalid.excludedFilter': "{filter}: can't be excluded; only words can.",
  'search_invalid.onlyExcluded':
    'Excluded words alone are not enough. Add a word to search for, or a filter such as agent: or session:.',
  'search_invalid.quote': 'A closing quotation mark is missing.',
  'search_invalid.time':
    '{filter}:{value} is not a time. Use a date (2026-01-31), a date and time, or an age (30m, 12h, 7d, 2w).',
  'search_invalid.tooManyWords': 'Use at most {limit} words.',
  'search_invalid.tooSlow':
    'This search takes too long. Add a rarer word, or narrow it down with session:, agent: or from:.',
  'search_invalid.value': '{filter}: needs a value, for example {example}.',
  'tool_not_found.operation': 'Tool not found: {plugin} {operation}. Run `parley tools` for a list.',
  transcription_not_configured: 'No transcription service is configured. Set voice.transcription in parley.json.',
  'transcription_not_configured.url': 'voice.transcription: {problem}.',
  'transcription_not_configured.variables': "Set {variables} in the server's environment and restart Parley.",
  'unavailable.acpCommand': 'Set acp.command to the program to start.',
  'unavailable.a2aUrl': 'Set a2a.url to the address of the agent, or a2a.card to the address of its card.',
  'unavailable.card': 'Its card has to be approved first. Review it with: parley agents card',
  'unavailable.baseUrl': "Set chat.baseUrl, or set {variable} in the server's environment and restart Parley.",
  'unavailable.forbiddenVariable': 'Remove {name} from chat.cli.env: it would make the program run other code.',
  'unavailable.keyOfOtherHost':
    'Set chat.apiKey: {variable} is sent only to the provider itself, not to the host in chat.baseUrl.',
  'unavailable.model': 'Set chat.model to the name of a model.',
  'unavailable.program':
    'The program {command} was not found. Install {title} (`{install}`), run `{signIn}` once to sign in, and restart Parley; or set chat.cli.command to where it is.',
  'unavailable.three': '{first} {second} {third}',
  'unavailable.two': '{first} {second}',
  'unavailable.url': 'Set {field} to an http or https URL without a user name or password.',
  'unavailable.variables': "Set {variables} in the server's environment and restart Parley, or change {field}.",
} as const;

export type TextKey = keyof typeof TEXTS;

const Plain = z.union([z.string(), z.number()]);

/** A sentence inside another one, with what its own translation needs. */
const InnerText = z.object({ key: z.string(), values: z.record(z.string(), Plain), message: z.string() });

/** What a translation needs. Programs read the `code` beside it. */
export const TextRef = z.object({
  key: z.string(),
  values: z.record(z.string(), z.union([Plain, InnerText])),
});
export type TextRef = z.infer<typeof TextRef>;

export interface Text extends TextRef {
  readonly message: string;
}

type Names<Template extends string> = Template extends `${string}{${infer Placeholder}}${infer Rest}`
  ? NameOf<Placeholder> | Names<Rest>
  : never;
/** The name in `{name}` or `{name|one|other}`. */
type NameOf<Placeholder extends string> = Placeholder extends `${infer Name}|${string}` ? Name : Placeholder;
type Values<Key extends TextKey> = Readonly<Record<Names<(typeof TEXTS)[Key]>, string | number | Text>>;

export function say<Key extends TextKey>(
  key: Key,
  ...[values]: [Names<(typeof TEXTS)[Key]>] extends [never] ? [] : [Values<Key>]
): Text {
  const filled: TextRef['values'] = (values ?? {}) as TextRef['values'];
  return { key, values: filled, message: fillText(TEXTS[key], filled) };
}

export function toTextRef({ key, values }: Text): TextRef {
  return { key, values };
}
