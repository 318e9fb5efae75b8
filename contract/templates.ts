import { z } from 'zod';
import { AgentId, Folder, Id, SessionTitle, TemplateName, Timestamp } from './names.ts';
import { SessionMode } from './sessions.ts';

const MOST_OPENING = 20_000;

const fields = {
  name: TemplateName.describe('Unique among your templates'),
  agentId: AgentId.nullable().describe('The primary; null to choose it for each session'),
  title: SessionTitle.nullable().describe('null: made from the first message'),
  folder: Folder.nullable(),
  mode: SessionMode,
  opening: z.string().max(MOST_OPENING).describe('The opening message; clients offer it for editing, or send it'),
  sendsOpening: z.boolean().describe('Whether clients send the opening message automatically'),
};

/** What a session begins with. A session made from it is its own from then on. */
export const SessionTemplate = z.object({ id: Id, ...fields, createdAt: Timestamp, updatedAt: Timestamp });
export type SessionTemplate = z.infer<typeof SessionTemplate>;

export const SessionTemplateList = z.object({ templates: z.array(SessionTemplate).describe('By name') });
export type SessionTemplateList = z.infer<typeof SessionTemplateList>;

export const CreateSessionTemplate = z.strictObject({
  name: fields.name,
  agentId: fields.agentId.default(null),
  title: fields.title.default(null),
  folder: fields.folder.default(null),
  mode: fields.mode.default('full'),
  opening: fields.opening.default(''),
  sendsOpening: fields.sendsOpening.default(false),
});
export type CreateSessionTemplate = z.output<typeof CreateSessionTemplate>;
export type NewSessionTemplate = z.input<typeof CreateSessionTemplate>;

/** What is not named stays; `null` clears. */
export const PatchSessionTemplate = z.strictObject(fields).partial();
export type PatchSessionTemplate = z.infer<typeof PatchSessionTemplate>;
