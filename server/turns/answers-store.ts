import type { StoredMessage } from '../sessions/message-store.ts';
import type { Connection } from '../sessions/store.ts';
import { statement } from '../storage/statement.ts';
import type { TurnRow } from '../storage/tables.ts';

/** The answers to a message that are on the path, in order. Answers of several agents follow one another. */
export const selectAnswersShown = (db: Connection, { session_id, id, seq }: StoredMessage) =>
  selectAnswers(db, session_id, seq, id);

const selectAnswers = statement<{ turn_id: string; seq: number }>(`SELECT messages.turn_id, messages.seq FROM messages
    JOIN turns ON turns.id = messages.turn_id
  WHERE messages.session_id = ? AND messages.seq > ? AND messages.on_path = 1 AND messages.role = 'assistant'
    AND turns.message_id = ? ORDER BY messages.seq`);

/** What agents answered to the same message before a turn: on the branch of its answer, or on the path while it has none. */
export const selectAnswersBefore = (db: Connection, turn: TurnRow, question: { seq: number | null }) =>
  turn.answer_id === null
    ? selectEarlierAnswers(db, turn.session_id, question.seq, turn.message_id, turn.seq)
    : selectAnswersOnLine(db, turn.answer_id, question.seq, question.seq, turn.message_id, turn.id);

const selectEarlierAnswers = statement<StoredMessage>(`SELECT messages.* FROM messages
    JOIN turns ON turns.id = messages.turn_id
  WHERE messages.session_id = ? AND messages.seq > ? AND messages.on_path = 1 AND messages.role = 'assistant'
    AND turns.message_id = ? AND turns.seq < ? ORDER BY messages.seq`);

const selectAnswersOnLine = statement<StoredMessage>(`WITH RECURSIVE line(id) AS (
      SELECT parent_id FROM messages WHERE id = ?
      UNION ALL
      SELECT messages.parent_id FROM messages JOIN line ON messages.id = line.id WHERE messages.seq > ?)
  SELECT messages.* FROM line CROSS JOIN messages ON messages.id = line.id CROSS JOIN turns ON turns.id = messages.turn_id
  WHERE messages.seq > ? AND messages.role = 'assistant' AND turns.message_id = ? AND turns.id <> ? ORDER BY messages.seq`);
