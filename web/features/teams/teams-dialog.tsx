import { useText } from '../../i18n/page-words.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SaveTeam } from './save-team.tsx';
import { TeamList } from './team-list.tsx';

interface Props {
  /** A session whose agents are to be kept as a team; null shows all teams. */
  sessionId: string | null;
  onClose(): void;
}

export default function TeamsDialog({ sessionId, onClose }: Props) {
  const text = useText();
  return (
    <Dialog open onClose={onClose} title={text(sessionId === null ? 'teams.title' : 'teams.saveTitle')} wide>
      {sessionId === null ? <TeamList onClose={onClose} /> : <SaveTeam sessionId={sessionId} onClose={onClose} />}
    </Dialog>
  );
}
