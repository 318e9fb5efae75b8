import { Link } from '@tanstack/react-router';
import { useText } from '../i18n/text.ts';

const SETUP = new Set(['agent_unavailable', 'model_unauthorized', 'model_not_found', 'model_rejected']);
const PASSING = new Set([
  'model_unreachable',
  'model_rate_limited',
  'model_overloaded',
  'model_first_token_timeout',
  'model_idle_timeout',
  'model_stream_broken',
]);

/** What to do about a failure, beyond trying again. */
export function FailureAdvice({ code, agentId, name }: { code: string; agentId: string; name: string }) {
  const text = useText();
  if (PASSING.has(code)) return <p className="mt-0.5 text-fg-2">{text('failure.wait')}</p>;
  if (code === 'model_context_overflow') return <p className="mt-0.5 text-fg-2">{text('failure.tooLong')}</p>;
  if (code === 'agent_not_found') return <p className="mt-0.5 text-fg-2">{text('failure.gone')}</p>;
  if (!SETUP.has(code)) return null;
  return (
    <p className="mt-0.5 text-fg-2">
      {text('failure.setup')}{' '}
      <Link
        to="/agents/$"
        params={{ _splat: agentId }}
        className="inline-flex min-h-6 items-center text-link underline underline-offset-2"
      >
        {text('failure.openAgent', { name })}
      </Link>
    </p>
  );
}
