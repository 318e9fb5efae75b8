/** Made for one request, never stored. The same words every time, so that a provider's prompt cache keeps working. */
const GUEST_FRAMING = [
  'You are joining a conversation between a person and other agents as a guest, for this one answer.',
  'Messages of other agents are wrapped in <from agent="NAME">…</from> so that you can tell who said what; your own earlier messages are not.',
  'Answer the last message as yourself. Do not write <from> tags, and do not speak for anyone else. You have no tools here: answer in words.',
].join(' ');

const PRIMARY_FRAMING = [
  'Other agents have spoken in this conversation. Their messages are wrapped in <from agent="NAME">…</from> so that you can tell who said what; your own are not.',
  'Take what they said into account and go on answering as yourself. Do not write <from> tags, and do not speak for anyone else.',
].join(' ');

export function framingFor(reader: { guest: boolean; othersSpoke: boolean }): string | null {
  if (reader.guest) return GUEST_FRAMING;
  return reader.othersSpoke ? PRIMARY_FRAMING : null;
}
