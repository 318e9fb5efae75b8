import { useQuery } from '@tanstack/react-query';
import { useText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { Loaded, Section } from '../../ui/page.tsx';

export function About() {
  const text = useText();
  const { client } = useLiveConnection();
  const configuration = useQuery({ queryKey: ['configuration'], queryFn: () => client.getConfiguration() });
  return (
    <Section id="about" title={text('settings.about')}>
      <Loaded query={configuration}>{({ version }) => <p>{text('settings.version', { version })}</p>}</Loaded>
      <p className="mb-3 max-w-[62ch] text-fg-2">{text('settings.aboutHint')}</p>
    </Section>
  );
}
