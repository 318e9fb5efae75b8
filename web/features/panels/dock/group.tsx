import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Ellipsis, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { useText } from '../../../i18n/panel-words.ts';
import { changeLayout, closePanel, layoutOf, useLayout } from '../../../state/open-panels.ts';
import { titleOf } from '../../../state/panel-context.ts';
import {
  canStep,
  type Direction,
  groupsOf,
  type OpenPanel,
  type PanelGroup,
  selectPanel,
  stepPanel,
} from '../../../state/panel-layout.ts';
import { spell } from '../../../state/shortcuts.ts';
import { useSlots } from '../../../state/slots.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { shownBox } from '../../../ui/keyboard-focus.ts';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { DropZones } from './drop-zones.tsx';
import { PanelBody } from './panel-body.tsx';
import { useTabDrag } from './use-tab-drag.ts';

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

interface Props {
  sessionId: string;
  group: PanelGroup;
}

/** Panels in one place: their tabs, and the one that is shown. */
export function Group({ sessionId, group }: Props) {
  const { selectedId } = useLayout(sessionId);
  const place = useRef<HTMLElement>(null);
  const { panels, shownId } = group;
  const shown = panels.find(({ id }) => id === shownId)!;
  const select = () => changeLayout(sessionId, (layout) => selectPanel(layout, shownId));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: working in a panel selects it
    <section
      ref={place}
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onFocusCapture={select}
      onPointerDownCapture={select}
      onKeyDown={(event) => leaveByKey(event)}
    >
      <header className="flex h-9 flex-none items-stretch border-b border-line bg-surface touch:h-11">
        <Tabs sessionId={sessionId} group={group} selectedId={selectedId} />
        <span className="flex flex-none items-center px-0.5">
          <PanelMenu sessionId={sessionId} panel={shown} />
          <CloseButton sessionId={sessionId} panel={shown} />
        </span>
      </header>
      <PanelBody key={shown.id} sessionId={sessionId} panel={shown} labelledBy={`tab-${shown.id}`} />
      <DropZones place={place} sessionId={sessionId} groupId={group.id} />
    </section>
  );
}

/** Escape leads back to where the person writes, unless what is inside has use for it. */
function leaveByKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  event.stopPropagation();
  shownBox()?.focus();
}

function Tabs({ sessionId, group, selectedId }: Props & { selectedId: string | null }) {
  const text = useText();
  const list = useRef<HTMLDivElement>(null);
  const { panels, shownId } = group;
  const focusTab = (panelId: string) => requestAnimationFrame(() => document.getElementById(`tab-${panelId}`)?.focus());
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    if (event.altKey && event.shiftKey && direction) {
      changeLayout(sessionId, (layout) => stepPanel(layout, shownId, direction));
      focusTab(shownId);
    } else if (direction === 'left' || direction === 'right') {
      const at = panels.findIndex(({ id }) => id === shownId);
      const next = panels[(at + (direction === 'left' ? -1 : 1) + panels.length) % panels.length]!;
      changeLayout(sessionId, (layout) => selectPanel(layout, next.id));
      focusTab(next.id);
    } else if (event.key === 'Delete') {
      closePanel(sessionId, shownId);
      focusNext(sessionId);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={list}
      role="tablist"
      tabIndex={-1}
      aria-label={text('panel.tabs')}
      onKeyDown={onKeyDown}
      className="flex min-w-0 flex-1 overflow-x-auto"
    >
      {panels.map((panel) => (
        <Tab
          key={panel.id}
          sessionId={sessionId}
          panel={panel}
          isShown={panel.id === shownId}
          isSelected={panel.id === selectedId}
        />
      ))}
    </div>
  );
}

/** After a panel was closed by key: to the one that is selected now, else to where the person writes. */
function focusNext(sessionId: string): void {
  requestAnimationFrame(() => {
    const { selectedId } = layoutOf(sessionId);
    (selectedId === null ? shownBox() : document.getElementById(`tab-${selectedId}`))?.focus();
  });
}

interface TabProps {
  sessionId: string;
  panel: OpenPanel;
  isShown: boolean;
  isSelected: boolean;
}

function Tab({ sessionId, panel, isShown, isSelected }: TabProps) {
  const text = useText();
  const { panels: kinds } = useSlots();
  const tab = useRef<HTMLButtonElement>(null);
  const Icon = kinds.find(({ type }) => type === panel.type)?.icon;
  useTabDrag(tab, panel.id);
  const title = titleOf(panel);
  return (
    <button
      ref={tab}
      type="button"
      role="tab"
      id={`tab-${panel.id}`}
      aria-selected={isShown}
      aria-controls={isShown ? `panel-${panel.id}` : undefined}
      tabIndex={isShown ? 0 : -1}
      data-selected={isSelected ? '' : undefined}
      title={`${title} · ${text('panel.moveHint', { keys: spell('Alt Shift ←') })}`}
      onClick={() => changeLayout(sessionId, (layout) => selectPanel(layout, panel.id))}
      className={cx(
        'inline-flex max-w-52 min-w-0 flex-none items-center gap-1.5 border-b-2 px-2.5 text-sm touch:min-w-11',
        isShown ? 'text-fg' : 'text-fg-2 hover:text-fg',
        isSelected ? 'border-accent' : isShown ? 'border-line-strong' : 'border-transparent',
      )}
    >
      {Icon && <Icon size={14} aria-hidden="true" className="flex-none text-fg-3" />}
      <span dir="auto" className="truncate">
        {title}
      </span>
    </button>
  );
}

const ARROWS: Readonly<Record<Direction, ReactNode>> = {
  left: <ArrowLeft size={14} />,
  right: <ArrowRight size={14} />,
  up: <ArrowUp size={14} />,
  down: <ArrowDown size={14} />,
};

interface OfPanel {
  sessionId: string;
  panel: OpenPanel;
}

function PanelMenu({ sessionId, panel }: OfPanel) {
  const text = useText();
  const layout = useLayout(sessionId);
  const isAlone = groupsOf(layout).every(({ panels }) => panels.length === 1 && panels[0]!.id === panel.id);
  return (
    <Menu
      trigger={
        <IconButton label={text('panel.menu', { title: titleOf(panel) })}>
          <Ellipsis size={14} />
        </IconButton>
      }
    >
      {(['left', 'right', 'up', 'down'] as const).map((direction) => (
        <MenuItem
          key={direction}
          icon={ARROWS[direction]}
          disabled={isAlone || !canStep(layout, panel.id, direction)}
          onSelect={() => changeLayout(sessionId, (all) => stepPanel(all, panel.id, direction))}
        >
          {text(`panel.move.${direction}`)}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={<X size={14} />} onSelect={() => closePanel(sessionId, panel.id)}>
        {text('panel.close')}
      </MenuItem>
    </Menu>
  );
}

function CloseButton({ sessionId, panel }: OfPanel) {
  const text = useText();
  const close = () => {
    closePanel(sessionId, panel.id);
    focusNext(sessionId);
  };
  return (
    <IconButton label={text('panel.closeNamed', { title: titleOf(panel) })} onClick={close}>
      <X size={14} />
    </IconButton>
  );
}
