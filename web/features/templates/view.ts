import type { SessionTemplate } from '../../../contract/templates.ts';
import type { Draft } from './draft.ts';

export const FORM_ID = 'template-form';

/** Instead of the id of a template: the button that makes one. */
export const NEW = 'new';

/** What the dialog shows. `focus` takes the keyboard: a template, or what makes a new one. */
export type View =
  | { readonly kind: 'list'; readonly focus: string | null }
  | { readonly kind: 'reading' }
  | {
      readonly kind: 'form';
      /** Null: a new one. */
      readonly of: SessionTemplate | null;
      readonly start: Draft;
      readonly draft: Draft;
    };
