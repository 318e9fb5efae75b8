import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Grant } from '../../../contract/tools.ts';
import { shortDate } from '../../i18n/formats.ts';
import { useText } from '../../i18n/page-words.ts';
import { useAgentName } from '../../live/use-agents.ts';
import { useLiveConnection, useSession } from '../../live/use-live.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';

/** What agents may do without asking again, because the person said so once. */
export function Grants() {
  const text = useText();
  const { client } = useLiveConnection();
  const grants = useQuery({ queryKey: ['grants'], queryFn: () => client.call('listGrants'), staleTime: 0 });
  return (
    <Section id="grants" title={text('settings.grants')} hint={text('settings.grantsHint')}>
      <Loaded query={grants}>
        {({ grants: list }) =>
          list.length === 0 ? (
            <p className="text-fg-2">{text('settings.noGrants')}</p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
              {list.map((grant) => (
                <GrantRow key={grant.id} grant={grant} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function GrantRow({ grant }: { grant: Grant }) {
  const text = useText();
  const revoke = useRevoke(grant);
  const name = useAgentName(grant.agentId);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="min-w-0 flex-1">
        <code className="font-mono text-xs">{grant.tool}</code>
        <span className="block text-xs text-fg-3">
          {name} · <Where sessionId={grant.sessionId} /> · {shortDate(grant.createdAt)}
        </span>
      </span>
      <Button aria-label={text('settings.revokeOf', { tool: grant.tool, name })} onClick={revoke}>
        {text('settings.revoke')}
      </Button>
    </li>
  );
}

function Where({ sessionId }: { sessionId: string | null }) {
  const text = useText();
  const session = useSession(sessionId ?? '');
  if (sessionId === null) return text('settings.everywhere');
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId }} className="touch-link text-link hover:underline">
      {session?.title || text('settings.oneSession')}
    </Link>
  );
}

function useRevoke({ id, tool }: Grant): () => void {
  const text = useText();
  const { client } = useLiveConnection();
  const queries = useQueryClient();
  return () =>
    void client
      .call('revokeGrant', { grantId: id })
      .then(() => notify({ title: text('settings.revoked', { tool }) }))
      .catch((error: Error) => notify({ title: error.message }))
      .finally(() => queries.invalidateQueries({ queryKey: ['grants'] }));
}
