import type { ErrorCode, Problem } from '../../../contract/errors.ts';

const CARD = /^\/a2a\/[^/]+\/\.well-known\//;
const JSON_RPC = /^\/a2a\/[^/]+\/$/;
const LEGACY_REST = /^\/a2a\/[^/]+\/v1\//;

/** What is refused before the protocol's handler, or fails in the server, in the shape of the binding that the client speaks. */
export function toA2aProblem(problem: Problem, path: string): unknown {
  if (CARD.test(path)) return undefined;
  const details = [{ '@type': ERROR_INFO, reason: problem.code.toUpperCase(), domain: 'parley' }];
  const { status, detail: message } = problem;
  if (JSON_RPC.test(path))
    return { jsonrpc: '2.0', id: null, error: { code: rpcCode(problem), message, data: details } };
  if (LEGACY_REST.test(path)) return { code: rpcCode(problem), message, data: details };
  return { error: { code: status, status: statusName(status), message, details } };
}

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

const RPC_CODES: Partial<Record<ErrorCode, number>> = { invalid_json: -32700, internal_error: -32603 };

/** Of JSON-RPC itself: a request that cannot be served as it is, or a server that cannot serve it now. */
function rpcCode({ code, status }: Problem): number {
  return RPC_CODES[code] ?? (status < 500 && status !== 429 ? -32600 : -32603);
}

/** The names of `google.rpc.Code`. */
function statusName(status: number): string {
  return NAMES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
}

const NAMES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  507: 'RESOURCE_EXHAUSTED',
};
