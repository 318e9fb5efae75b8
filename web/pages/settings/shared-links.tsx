import { ShareLinks } from '../../features/shares/share-links.tsx';
import { useShares } from '../../features/shares/use-shares.ts';
import { useText } from '../../i18n/text.ts';
import { Loaded, Section } from '../../ui/page.tsx';

/** Everything that others can read under a link. */
export function SharedLinks() {
  const text = useText();
  const shares = useShares();
  return (
    <Section id="shares" title={text('settings.shares')} hint={text('settings.sharesHint')}>
      <Loaded query={shares}>
        {({ shares: list }) => (
          <>
            {list.length === 0 && <p className="text-fg-2">{text('settings.noShares')}</p>}
            <ShareLinks label={text('settings.shares')} shares={list} named />
          </>
        )}
      </Loaded>
    </Section>
  );
}
