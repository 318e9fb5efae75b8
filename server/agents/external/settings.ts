import type { ExternalSettings as WrittenSettings } from '../../../contract/agent-settings.ts';
import { say, type Text } from '../../../contract/texts.ts';
import { type Environment, expand } from '../../config/environment.ts';

export interface ExternalSettings {
  /** Empty only for an agent that is unavailable because none is named. */
  readonly inputUrl: string;
  readonly callbackBaseUrl: string | undefined;
  readonly answerMs: number;
  /** A function, so that no log, error or answer can carry the secret by accident. */
  readonly secret: () => string;
}

/** People may be behind it, who answer the next day. */
const WEEK_SECONDS = 7 * 24 * 3600;

/** Where what is signed with the secret is sent to. */
export function hostOf({ inputUrl }: Pick<WrittenSettings, 'inputUrl'>): string {
  return inputUrl && URL.canParse(inputUrl) ? new URL(inputUrl).origin : (inputUrl ?? '');
}

export function resolveExternal(
  written: WrittenSettings,
  env: Environment,
): { settings: ExternalSettings; problems: Text[] } {
  const inputUrl = fill(written.inputUrl ?? '', 'external.inputUrl', env);
  const base = fill(written.callbackBaseUrl ?? '', 'external.callbackBaseUrl', env);
  const secret = fill(written.secret ?? '', 'external.secret', env);
  const missing = [inputUrl, base, secret].flatMap(({ problem }) => problem ?? []);
  const isUsable = /^https?:\/\//.test(inputUrl.value) && URL.canParse(inputUrl.value);
  const settings: ExternalSettings = {
    inputUrl: isUsable ? inputUrl.value : '',
    callbackBaseUrl: base.value || undefined,
    answerMs: (written.answerSeconds ?? WEEK_SECONDS) * 1000,
    secret: () => secret.value,
  };
  if (missing.length > 0) return { settings, problems: missing };
  const isComplete = isUsable && secret.value !== '';
  return { settings, problems: isComplete ? [] : [say('unavailable.external')] };
}

function fill(text: string, field: string, env: Environment): { value: string; problem?: Text } {
  const { value, missing } = expand(text, env);
  if (missing.length === 0) return { value };
  return { value: '', problem: say('unavailable.variables', { variables: missing.join(', '), field }) };
}
