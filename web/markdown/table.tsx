import type { Tokens } from 'marked';
import { directionOf } from './direction.ts';
import { Inline } from './inline.tsx';

export function Table({ token, caret }: { token: Tokens.Table; caret: boolean }) {
  const names = token.header.map((cell) => cell.text).join(', ');
  const widths = token.header.map((_, column) => leastWidth(token, column));
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" className="table-scroll" tabIndex={0} aria-label={names}>
      <table dir={directionOf(names)}>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              <th key={index} dir="auto" style={{ textAlign: cell.align ?? 'start', minWidth: widths[index] }}>
                <Inline tokens={cell.tokens} caret={caret && token.rows.length === 0 && isLast(token.header, index)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows do not move
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                <td key={column} dir="auto" style={{ textAlign: cell.align ?? 'start' }}>
                  <Inline tokens={cell.tokens} caret={caret && isLast(token.rows, index) && isLast(row, column)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Room for the words of a column, up to a few on each line: a table scrolls before it stacks them one by one. */
function leastWidth({ header, rows }: Tokens.Table, column: number): string {
  const longest = Math.max(...[header, ...rows].map((row) => row[column]?.text.length ?? 0));
  return `${Math.max(4.5, Math.min(longest, 24) * 0.5)}em`;
}

function isLast(list: readonly unknown[], index: number): boolean {
  return index === list.length - 1;
}
