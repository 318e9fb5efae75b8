import { useText } from '../../i18n/text.ts';
import { ShareLinks } from '../../shares/share-links.tsx';
import { useShares } from '../../shares/use-shares.ts';
import { Loaded, Section } from '../page.tsx';

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
