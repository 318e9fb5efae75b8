import { LayoutTemplate, Settings2 } from 'lucide-react';
import type { Agent } from '../../../contract/agents.ts';
import type { SessionTemplate } from '../../../contract/templates.ts';
import { useText } from '../../i18n/text.ts';
import { useAgents } from '../../live/use-agents.ts';
import { canAnswer } from '../../state/choose-agent.ts';
import type { TemplateItemsProps } from '../../state/slots.tsx';
import { beginFromTemplate, showTemplates, useTemplates } from '../../state/templates.ts';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';

/** Templates in a menu of what a session can begin with. */
export function TemplateItems({ live, navigate }: TemplateItemsProps) {
  const text = useText();
  const agents = useAgents();
  return (
    <>
      <MenuSeparator />
      {useTemplates().map((template) => (
        <Item
          key={template.id}
          template={template}
          agents={agents}
          onSelect={() => void beginFromTemplate(live, navigate, template)}
        />
      ))}
      <MenuItem icon={<Settings2 size={14} />} onSelect={() => showTemplates()}>
        {text('templates.manage')}
      </MenuItem>
    </>
  );
}

function Item({
  template,
  agents,
  onSelect,
}: {
  template: SessionTemplate;
  agents: readonly Agent[];
  onSelect(): void;
}) {
  const text = useText();
  const isAble = canAnswer(template, agents);
  return (
    <MenuItem icon={<LayoutTemplate size={14} />} disabled={!isAble} onSelect={onSelect}>
      {isAble ? template.name : text('sidebar.unavailable', { name: template.name })}
    </MenuItem>
  );
}
