import { AppError } from '../../../contract/errors.ts';
import { text } from '../../i18n/text.ts';

/** What went wrong and what to do about it, in the person's language where it can be foreseen. */
export function templateProblem(error: Error): string {
  if (!(error instanceof AppError)) return error.message || text('error.unknown');
  switch (error.code) {
    case 'session_template_name_taken':
      return text('templates.problem.taken');
    case 'too_many_session_templates':
      return text('templates.problem.full');
    case 'session_template_not_found':
      return text('templates.problem.gone');
    default:
      return error.message;
  }
}
