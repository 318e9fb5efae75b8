import { expect, test } from 'vitest';
import { digitsFor, money } from '../../web/i18n/formats.ts';
import { groupTools } from '../../web/pages/agents/scope-words.ts';
import { sortNeeds } from '../../web/pages/dashboard/needs-you.ts';
import { approval, byId, session } from './sidebar-fixtures.ts';

const at = (minute: number) => `2026-01-01T10:0${minute}:00.000Z`;

test('approvals come before questions and limits, what has waited longest first, and failures apart from them', () => {
  const asks = session('asks');
  const stuck = session('stuck', { type: 'tool-execution', status: 'error', lastActivityAt: at(5) });
  const needs = sortNeeds(
    [asks, stuck],
    byId(
      approval('failed', 'asks', { kind: 'failure', createdAt: at(9) }),
      approval('failed first', 'asks', { kind: 'failure', createdAt: at(4) }),
      approval('question', 'asks', { kind: 'question', createdAt: at(8) }),
      approval('old', 'asks', { createdAt: at(1) }),
      approval('new', 'asks', { createdAt: at(2) }),
      approval('elsewhere', 'about to be deleted', { createdAt: at(3) }),
    ),
  );
  expect(needs.asked.map(({ id }) => id)).toEqual(['old', 'new', 'question']);
  const idsOfFailures = needs.failures.map((failure) => ('action' in failure ? failure.action.id : failure.session.id));
  expect(idsOfFailures).toEqual(['failed first', 'stuck', 'failed']);
});

test('tools are listed by what they belong to, in order, and single ones last', () => {
  expect(groupTools(['notes_write', 'bash', 'todo_add', 'notes_read', 'todo_list', 'web_fetch'])).toEqual([
    { prefix: 'notes', names: ['notes_read', 'notes_write'] },
    { prefix: 'todo', names: ['todo_add', 'todo_list'] },
    { prefix: '', names: ['bash', 'web_fetch'] },
  ]);
});

test('amounts that stand together have the same digits', () => {
  const amounts = [1.5, 0.0042, 0];
  const digits = digitsFor(amounts);
  expect(amounts.map((amount) => money(amount, 'USD', digits))).toEqual(['$1.5000', '$0.0042', '$0.0000']);
  expect(money(0.25, 'USD')).toBe('$0.25');
});
