import type { Judgement } from '../../../../contract/builder.ts';
import { useText } from '../../../i18n/text.ts';

/** What the draft would be allowed, and what the server has to say about it. */
export function JudgementView({ judgement }: { judgement: Judgement }) {
  const text = useText();
  const free = judgement.mayUse.filter(isOwn);
  const asked = judgement.mayAskToUse.filter(isOwn);
  return (
    <div className="mb-3 space-y-1 text-xs text-fg-2">
      {judgement.issues.map((words) => (
        <p key={words} className="text-danger">
          {words}
        </p>
      ))}
      {free.length === 0 && <p>{text('agents.usesNone')}</p>}
      {free.length > 0 && <Names title={text('agents.uses', { count: free.length })} names={free} />}
      {asked.length > 0 && <Names title={text('agents.asksFirst', { count: asked.length })} names={asked} />}
      {judgement.notes.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </div>
  );
}

/** What every agent has says nothing of this one. */
function isOwn(name: string): boolean {
  return !name.startsWith('system_');
}

const FEW = 8;

/** Many are there to be looked at, and out of the way until then. */
function Names({ title, names }: { title: string; names: readonly string[] }) {
  const list = <span className="font-mono text-fg">{names.join(', ')}</span>;
  if (names.length <= FEW)
    return (
      <p>
        {title}: {list}
      </p>
    );
  return (
    <details>
      <summary className="cursor-pointer">{title}</summary>
      {list}
    </details>
  );
}
