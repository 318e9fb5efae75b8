export function sessionPath(sessionId: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}`;
}

export function turnPath(turnId: string): string {
  return `/api/turns/${encodeURIComponent(turnId)}`;
}

export function toolCallPath(callId: string): string {
  return `/api/tool-calls/${encodeURIComponent(callId)}`;
}

export function actionPath(actionId: string): string {
  return `/api/actions/${encodeURIComponent(actionId)}`;
}

export function mcpServerPath(name: string): string {
  return `/api/mcp-servers/${encodeURIComponent(name)}`;
}

/** Agents keep the slashes in their names. */
export function agentPath(agentId: string): string {
  return `/api/agents/${withSlashes(agentId)}`;
}

export function agentCardPath(agentId: string): string {
  return `/api/agent-cards/${withSlashes(agentId)}`;
}

function withSlashes(agentId: string): string {
  return agentId.split('/').map(encodeURIComponent).join('/');
}

export function ifMatch(version: string | undefined): Record<string, string> {
  return version === undefined ? {} : { 'If-Match': version };
}
