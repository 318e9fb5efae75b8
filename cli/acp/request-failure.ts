import { RequestError } from '@agentclientprotocol/sdk';
import { AppError } from '../../contract/errors.ts';

/** The server's refusals as errors of the protocol. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function toRequestError(error: unknown): unknown {
  if (error instanceof RequestError || !(error instanceof Error)) return error;
  if (!(error instanceof AppError)) return new RequestError(INTERNAL, error.message);
  const { code, message } = error;
  return new RequestError(code.endsWith('_not_found') ? NOT_FOUND : INVALID, message, { code });
}

const INTERNAL = -32603;
const INVALID = -32602;
const NOT_FOUND = -32002;
