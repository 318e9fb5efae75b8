import type { Token, Tokens } from 'marked';
import { decodeEntities } from './entities.ts';
import { ImageChip, SafeLink } from './safe-link.tsx';

/** Words inside a block. HTML stays text, pictures from elsewhere become links to them. */
export function Inline({ tokens }: { tokens: readonly Token[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a piece's number is its identity
  return tokens.map((token, index) => <Piece key={index} token={token} />);
}

function Piece({ token }: { token: Token }) {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={(token as Tokens.Strong).tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={(token as Tokens.Em).tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={(token as Tokens.Del).tokens} />
        </del>
      );
    case 'codespan':
      return <code>{decodeEntities((token as Tokens.Codespan).text)}</code>;
    case 'checkbox':
      return null;
    case 'br':
      return <br />;
    case 'link':
      return (
        <SafeLink href={(token as Tokens.Link).href} words={(token as Tokens.Link).text}>
          <Inline tokens={(token as Tokens.Link).tokens} />
        </SafeLink>
      );
    case 'image':
      return <ImageChip href={(token as Tokens.Image).href} alt={(token as Tokens.Image).text} />;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? <Inline tokens={tokens} /> : decodeEntities(text);
    }
    default:
      return token.raw;
  }
}
