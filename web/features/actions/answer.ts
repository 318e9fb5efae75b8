import type { AnswerAction } from '../../../contract/actions.ts';

/** Sends what the person decided. */
export type Answer = (answer: AnswerAction) => void;
