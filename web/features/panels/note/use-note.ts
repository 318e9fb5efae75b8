import { useCallback, useEffect, useRef, useState } from 'react';
import type { ArtifactConflict } from '../../../../contract/artifacts.ts';
import { AppError } from '../../../../contract/errors.ts';
import type { Note } from '../../../../contract/notes.ts';
import { useLiveConnection } from '../../../live/use-live.ts';

const PAUSE_MS = 1000;

export interface NoteEditing {
  readonly note: Note | null;
  readonly problem: Error | null;
  /** As it is written here, saved or not. */
  readonly text: string;
  readonly state: 'saved' | 'writing' | 'saving' | 'failed';
  /** What others changed in the same lines; nothing is saved until the person has chosen. */
  readonly conflicts: readonly ArtifactConflict[] | null;
  write(text: string): void;
  /** Now, not after a pause. `isForced`: over what others wrote. */
  save(isForced?: boolean): void;
  /** What is written here is given up. */
  takeTheirs(): void;
  reread(): void;
}

/** What is written and the version that it is based on. */
interface Draft {
  readonly text: string;
  readonly base: number;
}

/**
 * A note that is read again when others change it. What is written here is saved after a pause; the server merges it by
 * lines with what others wrote since.
 */
export function useNote(noteId: string): NoteEditing {
  const live = useLiveConnection();
  const [note, setNote] = useState<Note | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const [conflicts, setConflicts] = useState<readonly ArtifactConflict[] | null>(null);
  const latest = useRef<{ draft: Draft | null; isHeld: boolean }>({ draft: null, isHeld: false });
  latest.current = { draft, isHeld: isSaving || conflicts !== null };

  const reread = useCallback(() => {
    live.client.call('getNote', { noteId }).then((read) => {
      setNote((known) => (known && known.version > read.version ? known : read));
      setProblem(null);
    }, setProblem);
  }, [live, noteId]);
  useEffect(() => {
    reread();
    const ends = [
      live.onArtifact((frame) => {
        if (frame.type === 'artifacts.missed' || frame.artifactId === noteId) reread();
      }),
      live.store.subscribe((state, before) => {
        if (state.connection === 'open' && before.connection !== 'open') reread();
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [live, noteId, reread]);

  const save = useCallback(
    async (isForced = false) => {
      const { draft: sent, isHeld } = latest.current;
      // While the person has to choose between two versions, only the choice saves.
      if (!sent || (isHeld && !isForced)) return;
      setSaving(true);
      setConflicts(null);
      const body = { text: sent.text, ...(!isForced && { base: sent.base }) };
      try {
        const saved = await live.client.call('patchNote', { noteId, body });
        setNote(saved);
        setFailed(false);
        setDraft((now) => {
          if (!now || now.text === sent.text) return null;
          // With lines of others in it, what was saved is no base for what is written here: they would be taken out.
          return saved.text === sent.text ? { ...now, base: saved.version } : now;
        });
      } catch (error) {
        if (error instanceof AppError && error.conflicts) setConflicts(error.conflicts);
        setFailed(true);
      } finally {
        setSaving(false);
      }
    },
    [live, noteId],
  );
  useEffect(() => {
    if (!draft || conflicts || isSaving) return;
    const timer = setTimeout(() => void save(), hasFailed ? PAUSE_MS * 10 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, conflicts, isSaving, hasFailed, save]);
  useEffect(() => {
    const leave = () => void save();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [save]);

  return {
    note,
    problem,
    text: draft?.text ?? note?.text ?? '',
    state: isSaving ? 'saving' : hasFailed && draft ? 'failed' : draft ? 'writing' : 'saved',
    conflicts,
    write: (text) => setDraft((now) => ({ text, base: now?.base ?? note?.version ?? 1 })),
    save: (isForced) => void save(isForced),
    takeTheirs: () => {
      setDraft(null);
      setConflicts(null);
      setFailed(false);
      reread();
    },
    reread,
  };
}
