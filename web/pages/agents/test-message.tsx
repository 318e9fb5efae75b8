import { useNavigate } from '@tanstack/react-router';
import type { AgentDetail } from '../../../contract/agents.ts';
import { SCRATCH } from '../../../contract/scratch.ts';
import { ScratchChat } from '../../features/conversation/scratch-chat.tsx';
import { useText } from '../../i18n/agent-words.ts';
import { useLiveConnection } from '../../live/use-live.ts';

interface Props {
  detail: AgentDetail;
  /** There is a draft that this does not show. */
  isChanged: boolean;
  onClose(): void;
}

/** A word with the agent beside its definition. */
export function TestMessage({ detail: { agentId }, isChanged, onClose }: Props) {
  const text = useText();
  const navigate = useNavigate();
  const { client } = useLiveConnection();
  return (
    <ScratchChat
      title={text('agents.test')}
      hint={text('agents.testHint')}
      note={isChanged ? text('agents.testSaved') : null}
      begin={() => client.call('createSession', { body: { agentId, attributes: SCRATCH } })}
      onKeep={(sessionId) => void navigate({ to: '/sessions/$sessionId', params: { sessionId } })}
      onClose={onClose}
      className="self-start xl:sticky xl:top-4 xl:w-[380px]"
    />
  );
}
