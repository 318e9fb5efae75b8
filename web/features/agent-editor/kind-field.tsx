import { Bot, Cable, Globe, SquareTerminal, Webhook } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useText } from '../../i18n/agent-words.ts';
import { KINDS, type Kind, kindHint, kindTitle } from '../../state/agent-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';

interface Props {
  kind: Kind;
  onChoose(kind: Kind): void;
}

/** What the agent is. It is rarely changed, so the other kinds are shown when they are asked for. */
export function KindField({ kind, onChoose }: Props) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const list = useId();
  return (
    <fieldset className="mb-6">
      <legend className="mb-2 font-semibold">{text('agents.kind')}</legend>
      {isOpen ? (
        <ul id={list} className="grid gap-2 sm:grid-cols-2">
          {KINDS.map((one) => (
            <Choice key={one} kind={one} isChosen={one === kind} onChoose={onChoose} />
          ))}
        </ul>
      ) : (
        <KindCard kind={kind} className="border-line" />
      )}
      <Button className="mt-2" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {text(isOpen ? 'agents.kindDone' : 'agents.kindChange')}
      </Button>
    </fieldset>
  );
}

function Choice({ kind, isChosen, onChoose }: Props & { isChosen: boolean }) {
  return (
    <li>
      <KindCard
        kind={kind}
        className={cx('h-full cursor-pointer', isChosen ? 'border-accent' : 'border-line hover:bg-hover')}
      >
        <input
          type="radio"
          name="agent-kind"
          checked={isChosen}
          onChange={() => onChoose(kind)}
          className="mt-1 flex-none accent-(--accent)"
        />
      </KindCard>
    </li>
  );
}

function KindCard({ kind, className, children }: { kind: Kind; className: string; children?: ReactNode }) {
  const text = useText();
  const Card = children ? 'label' : 'div';
  return (
    <Card className={cx('flex items-start gap-2.5 rounded-lg border bg-surface p-3', className)}>
      {children}
      <KindIcon kind={kind} />
      <span className="min-w-0">
        <span className="block font-semibold">{text(kindTitle(kind))}</span>
        <span className="block text-fg-2">{text(kindHint(kind))}</span>
      </span>
    </Card>
  );
}

export function KindIcon({ kind }: { kind: Kind }) {
  const Icon = ICONS[kind];
  return <Icon size={16} aria-hidden="true" className="mt-0.5 flex-none text-fg-3" />;
}

const ICONS = {
  model: Bot,
  claude: SquareTerminal,
  codex: SquareTerminal,
  pi: SquareTerminal,
  acp: Cable,
  a2a: Globe,
  external: Webhook,
} as const;
