import type { McpServerInfo } from '../../../contract/tools.ts';
import { useText } from '../../i18n/text.ts';
import { revealHidden } from '../../markdown/safe-url.ts';
import { Badge } from '../../ui/page.tsx';

type Tools = McpServerInfo['tools'];

/** What waits to be accepted is open; what is settled folds away. */
export function McpTools({ tools }: { tools: Tools }) {
  const text = useText();
  const fresh = tools.filter(({ state }) => state !== 'accepted');
  const accepted = tools.filter(({ state }) => state === 'accepted');
  return (
    <>
      {fresh.length > 0 && <ToolList tools={fresh} />}
      {accepted.length > 0 && (
        <details className="mt-2">
          <summary className="min-h-6 cursor-pointer text-fg-2">
            {text('settings.mcpAccepted', { count: accepted.length })}
          </summary>
          <ToolList tools={accepted} />
        </details>
      )}
    </>
  );
}

function ToolList({ tools }: { tools: Tools }) {
  return (
    <ul className="mt-2 space-y-2">
      {tools.map((tool) => (
        <Tool key={tool.name} tool={tool} />
      ))}
    </ul>
  );
}

/** A server wrote this: it is shown, hidden characters too, and never obeyed. */
function Tool({ tool: { name, state, description, before } }: { tool: Tools[number] }) {
  const text = useText();
  return (
    <li className="text-xs">
      <p className="flex items-center gap-2">
        <code className="font-mono text-fg">{name}</code>
        {state !== 'accepted' && <Badge>{text(`settings.mcpTool.${state}`)}</Badge>}
      </p>
      {before === null ? (
        <p className="whitespace-pre-wrap text-fg-2">{revealHidden(description)}</p>
      ) : (
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
          <dt className="text-fg-3">{text('settings.before')}</dt>
          <dd className="whitespace-pre-wrap text-fg-2">{revealHidden(before)}</dd>
          <dt className="text-fg-3">{text('settings.after')}</dt>
          <dd className="whitespace-pre-wrap">{revealHidden(description)}</dd>
        </dl>
      )}
    </li>
  );
}
