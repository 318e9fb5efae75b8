import { useQuery } from '@tanstack/react-query';
import { money } from '../../i18n/money.ts';
import { language, useText } from '../../i18n/text.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { Fact, Section } from './section.tsx';

/** What this session has used; read again when a turn begins, waits or ends, but not because something was read. */
export function UsageFacts({ sessionId }: { sessionId: string }) {
  const text = useText();
  const { client } = useLiveConnection();
  const { lastActivityAt, status } = useSession(sessionId) ?? {};
  const { data } = useQuery({
    queryKey: ['usage', sessionId, lastActivityAt, status],
    queryFn: () => client.usage({ session: sessionId }),
    enabled: status !== undefined,
    placeholderData: (before) => before,
  });
  if (!data || data.total.turns === 0) return null;
  const number = new Intl.NumberFormat(language());
  const { turns, inputTokens, outputTokens, cost } = data.total;
  return (
    <Section title={text('rail.usage')}>
      <dl>
        <Fact name={text('rail.turns')}>{number.format(turns)}</Fact>
        <Fact name={text('rail.input')}>{number.format(inputTokens)}</Fact>
        <Fact name={text('rail.output')}>{number.format(outputTokens)}</Fact>
        {cost !== undefined && <Fact name={text('rail.cost')}>{money(cost, data.currency)}</Fact>}
      </dl>
    </Section>
  );
}
