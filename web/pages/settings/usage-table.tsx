import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UsageReport } from '../../../contract/delegation.ts';
import { digitsFor, money } from '../../i18n/money.ts';
import { sessionTitle } from '../../i18n/session-title.ts';
import { language, useText } from '../../i18n/text.ts';
import { shortDate } from '../../i18n/time.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useSession } from '../../live/use-live.ts';
import { tokensOf, type UsageBy, type UsageRow } from './usage-figures.ts';

const SHOWN = 50;

export function UsageTable({ by, report: { total, rows, currency } }: { by: UsageBy; report: UsageReport }) {
  const text = useText();
  const most = Math.max(1, ...rows.map(tokensOf));
  const digits = digitsFor(rows.map(({ cost }) => cost ?? 0));
  return (
    <>
      <p className="mb-1 text-xs text-fg-3 lg:hidden">{text('settings.usageScroll')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: it groups no form */}
      <div role="group" className="overflow-x-auto" tabIndex={0} aria-label={text('settings.usage')}>
        <table className="w-full min-w-[460px] text-left">
          <thead className="text-xs text-fg-3">
            <tr className="border-b border-line">
              <th className="py-1.5 font-medium">{text(`settings.usageBy.${by}`)}</th>
              {(['turns', 'input', 'output', 'cost'] as const).map((column) => (
                <th key={column} className="py-1.5 pl-3 text-right font-medium">
                  {text(`settings.usage.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row) => (
              <tr key={row.key} className="border-b border-line/60">
                <td className="max-w-52 py-1.5">
                  <Name by={by} name={row.key} />
                  <Share of={tokensOf(row) / most} />
                </td>
                <Cells row={row} currency={currency} digits={digits} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="font-medium">
              <td className="py-1.5">{text('settings.usageTotal')}</td>
              <Cells row={total} currency={currency} digits={digits} />
            </tr>
          </tfoot>
        </table>
      </div>
    </>
  );
}

function Cells({ row, currency, digits }: { row: Omit<UsageRow, 'key'>; currency: string; digits: 2 | 4 }) {
  const number = new Intl.NumberFormat(language());
  const cells: readonly (readonly [string, ReactNode])[] = [
    ['turns', number.format(row.turns)],
    ['input', number.format(row.inputTokens)],
    ['output', number.format(row.outputTokens)],
    ['cost', row.cost === undefined ? '–' : money(row.cost, currency, digits)],
  ];
  return cells.map(([name, value]) => (
    <td key={name} className="py-1.5 pl-3 text-right align-top whitespace-nowrap">
      {value}
    </td>
  ));
}

function Share({ of }: { of: number }) {
  return (
    <span aria-hidden="true" className="mt-1 block h-0.5 rounded-full bg-line">
      <span className="block h-full rounded-full bg-(--st-connecting)" style={{ width: `${of * 100}%` }} />
    </span>
  );
}

function Name({ by, name }: { by: UsageBy; name: string }) {
  const text = useText();
  const agentName = useAgentName(by === 'agent' ? name : null);
  const session = useSession(by === 'session' ? name : '');
  if (by === 'day') return shortDate(name);
  if (by === 'session') {
    return (
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: name }}
        className="block truncate text-link hover:underline touch:py-3"
      >
        {session ? sessionTitle(session.title) : name}
      </Link>
    );
  }
  return <span className="block truncate">{(by === 'agent' ? agentName : name) || text('settings.unknownModel')}</span>;
}
