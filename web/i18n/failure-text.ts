import type { TextRef } from '../../contract/texts.ts';
import { serverText } from './text.ts';

/** Why a turn failed. Failures stored by older versions have no text reference, only their code. */
export function failureText(failure: { code: string; message: string; text?: TextRef | undefined }): string {
  return serverText(failure.message, failure.text ?? { key: failure.code, values: {} });
}
